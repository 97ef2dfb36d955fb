// SPDX-License-Identifier: GPL-3.0-or-later
// What the utrace core must know of x86-64
#pragma once

#include <linux/audit.h>
#include <sys/user.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/utrace/utrace.h"

namespace sonde::machine {

inline constexpr uint32_t kAuditArch = AUDIT_ARCH_X86_64;
inline constexpr uint32_t kCompatAuditArch = AUDIT_ARCH_I386;
inline constexpr uint8_t kSyscallInstruction[] = {0x0f, 0x05};

inline int64_t call_number(const user_regs_struct& registers) { return static_cast<int64_t>(registers.orig_rax); }
inline void set_call_number(user_regs_struct& registers, int64_t number) {
  registers.orig_rax = static_cast<uint64_t>(number);
}
inline std::array<uint64_t, 6> call_arguments(const user_regs_struct& r, bool compat) {
  if (!compat) return {r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9};
  const auto low = [](uint64_t value) { return value & 0xffffffff; };
  return {low(r.rbx), low(r.rcx), low(r.rdx), low(r.rsi), low(r.rdi), low(r.rbp)};
}
inline int64_t call_result(const user_regs_struct& registers, bool compat = false) {
  return compat ? static_cast<int32_t>(registers.rax) : static_cast<int64_t>(registers.rax);
}

/// At a stop inside signal delivery: the thread is about to return from a call that a wake-up has ended with EINTR.
inline bool returns_eintr(const user_regs_struct& registers) {
  constexpr int64_t kEintr = 4, kClose = 3;  // close() has closed the descriptor all the same: it is not made again
  return call_number(registers) >= 0 && call_number(registers) != kClose && call_result(registers) == -kEintr;
}
/// The thread returns from a call that the kernel will make again, or end with EINTR, once it has looked for signals.
inline bool waits_for_verdict(const user_regs_struct& registers) {
  return call_number(registers) >= 0 && call_result(registers) <= -512 && call_result(registers) >= -516;
}
/// The thread returns from a write, or a read of all, with a count below the one asked for.
inline bool is_short(const user_regs_struct& registers) {
  constexpr int64_t kWrite = 1, kPwrite = 18, kSendto = 44, kRecvfrom = 45;
  constexpr uint64_t kWaitAll = 0x100;
  int64_t call = call_number(registers), result = call_result(registers);
  bool all = call == kWrite || call == kPwrite || call == kSendto || (call == kRecvfrom && (registers.r10 & kWaitAll));
  return all && result > 0 && static_cast<uint64_t>(result) < registers.rdx;
}
/// ERESTARTNOHAND: the kernel makes the call again, unless a handler runs; then the program gets EINTR, as it would untraced.
inline void restart_unless_handled(user_regs_struct& registers) {
  registers.rax = static_cast<uint64_t>(int64_t{-514});
}
inline bool restarts_unless_handled(const user_regs_struct& registers) {
  return call_number(registers) >= 0 && call_result(registers) == -514;
}
inline void return_eintr(user_regs_struct& registers) { registers.rax = static_cast<uint64_t>(int64_t{-4}); }
/// At the entry of a call: no call is made now, and the thread comes back to its system call instruction.
inline void enter_anew(user_regs_struct& registers) {
  registers.rax = registers.orig_rax;
  registers.rip -= sizeof kSyscallInstruction;
  registers.orig_rax = ~uint64_t{0};
}
/// The thread runs 64-bit code. Its calls are 32-bit ones all the same where they are made by `int $0x80`.
inline bool is_native(const user_regs_struct& registers) { return registers.cs == 0x33; }
/// The `syscall` instruction has left its traces, so the call is a 64-bit one. False: it may be either.
inline bool made_by_syscall(const user_regs_struct& r) { return is_native(r) && r.rcx == r.rip && r.r11 == r.eflags; }

/// Makes the registers perform a system call at `instruction`, with no restart of an earlier one.
void set_call(user_regs_struct& registers, uint64_t instruction, long number, const uint64_t (&arguments)[6]);

/// fork, vfork, clone, clone3.
inline bool makes_child(int64_t call) { return call == 56 || call == 57 || call == 58 || call == 435; }

inline constexpr uint8_t kBreakpoint = 0xcc;
/// Where the breakpoint stands that a thread has just run into.
inline uint64_t breakpoint_address(const user_regs_struct& registers) { return registers.rip - 1; }
inline void set_instruction(user_regs_struct& registers, uint64_t address) { registers.rip = address; }

/// By these a program installs a seccomp filter of its own.
inline constexpr uint32_t kPrctlCall = 157, kSeccompCall = 317, kCompatPrctlCall = 172, kCompatSeccompCall = 354;
inline constexpr uint32_t kPrctlSetSeccomp = 22;

/// What rt_sigaction takes: handler, flags, restorer, mask.
inline constexpr long kSigactionCall = 13;
inline constexpr uint64_t kSigsetBytes = 8;

/// What a call that has returned did to the address space. Lengths of 0: not that.
struct Mapping {
  uint64_t mapped = 0, mapped_length = 0, offset = 0;
  uint64_t unmapped = 0, unmapped_length = 0;
  uint64_t protected_at = 0, protected_length = 0;
  int protection = 0;
  int file = -1;
  bool moved = false;  ///< by mremap: file, offset and protection are those it had
};
/// False: the call failed, or is none that changes mappings.
bool mapping_change(const user_regs_struct& registers, Mapping* change);
/// The calls to watch for each kind of change.
std::vector<uint32_t> mapping_calls(bool maps, bool unmaps, bool protects);

/// Whether the call, which begins, installs a seccomp filter; `all_threads`: in every thread of the process.
inline bool installs_filter(const utrace_call& call, bool* all_threads) {
  constexpr uint64_t kSetModeFilter = 1, kFlagTsync = 1;
  switch (call.number) {
    case kPrctlCall:
    case kUtraceCompatCalls + kCompatPrctlCall: return call.arguments[0] == kPrctlSetSeccomp;
    case kSeccompCall:
    case kUtraceCompatCalls + kCompatSeccompCall:
      *all_threads = call.arguments[1] & kFlagTsync;
      return call.arguments[0] == kSetModeFilter;
    default: return false;
  }
}

/// What a call gave that is to be made again unless a handler runs.
inline constexpr int64_t kRestartSys = -512, kRestartNoIntr = -513, kRestartNoHand = -514, kRestartBlock = -516;
inline bool may_restart(int64_t result) {
  return result == kRestartSys || result == kRestartNoIntr || result == kRestartNoHand || result == kRestartBlock;
}
/// rax as it will be when the handler returns at whose first instruction the thread stands. False: the frame cannot be read.
bool result_behind_handler(utrace_task& task, const user_regs_struct& registers, int64_t* result);

/// How a clone, clone3, fork or vfork was asked for. `read` fetches the thread's memory.
/// Returns false where the call does not tell.
template <typename Read>
bool clone_flags(const utrace_call& call, Read read, uint64_t* flags) {
  constexpr uint64_t kChildSignal = 17, kVfork = 0x4000, kVm = 0x100;
  uint64_t arguments[5] = {};
  switch (call.number) {
    case 56:
    case kUtraceCompatCalls + 120: *flags = call.arguments[0]; return true;
    case 57:
    case kUtraceCompatCalls + 2: *flags = kChildSignal; return true;
    case 58:
    case kUtraceCompatCalls + 190: *flags = kVfork | kVm | kChildSignal; return true;
    case 435:
    case kUtraceCompatCalls + 435:
      if (!read(call.arguments[0], arguments, sizeof arguments)) return false;
      *flags = arguments[0] | (arguments[4] & 0xff);
      return true;
    default: return false;
  }
}

}  // namespace sonde::machine
