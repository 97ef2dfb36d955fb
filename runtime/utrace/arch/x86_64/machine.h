// SPDX-License-Identifier: GPL-3.0-or-later
// What a tracer must know about x86-64: registers, system calls, functions, breakpoints
#pragma once

#include <linux/audit.h>
#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <csignal>
#include <cstdint>

#include "runtime/utrace/call.h"

namespace sonde {
struct utrace_task;
}

namespace sonde::machine {

/// A thread's registers, as ptrace has them.
using Registers = user_regs_struct;

/// Returns 0 or -errno. The thread must be in a ptrace-stop.
int read_registers(pid_t tid, Registers* to);
int write_registers(pid_t tid, const Registers& from);
/// Copies the 16 low bytes of a vector register, below 16. Returns 0 or -errno. The thread must be in a ptrace-stop.
int read_vector(pid_t tid, uint32_t number, void* to);

inline uint64_t pc(const Registers& registers) { return registers.rip; }
inline void set_pc(Registers& registers, uint64_t address) { registers.rip = address; }
inline uint64_t sp(const Registers& registers) { return registers.rsp; }
/// Where the thread's own data is: the base of addresses relative to the thread.
inline uint64_t thread_block(const Registers& registers) { return registers.fs_base; }

/// The calling convention: argument `number`, below kRegisterArguments, at a function's first instruction. The others
/// are in memory.
inline constexpr unsigned kRegisterArguments = 6;
inline uint64_t function_argument(const Registers& registers, unsigned number) {
  const unsigned long long arguments[] = {registers.rdi, registers.rsi, registers.rdx,
                                          registers.rcx, registers.r8,  registers.r9};
  return arguments[number];
}
/// Address of the first argument that is not in a register, at a function's first instruction: it is behind the return
/// address.
inline uint64_t stack_arguments(const Registers& registers) { return registers.rsp + 8; }
/// A function's result, at its return.
inline uint64_t function_result(const Registers& registers) { return registers.rax; }
/// Unused memory of the thread's stack: below the red zone, aligned as a call's arguments must be.
inline uint64_t unused_stack(const Registers& registers) { return (registers.rsp - 512) & ~uint64_t{15}; }

inline constexpr uint32_t kAuditArch = AUDIT_ARCH_X86_64;
inline constexpr uint32_t kCompatAuditArch = AUDIT_ARCH_I386;
inline constexpr uint8_t kSyscallInstruction[] = {0x0f, 0x05};

/// The kernel takes the low half of the register; a program may leave anything in the upper one.
inline int64_t call_number(const Registers& registers) { return static_cast<int32_t>(registers.orig_rax); }
inline void set_call_number(Registers& registers, int64_t number) {
  registers.orig_rax = static_cast<uint64_t>(number);
}
inline std::array<uint64_t, 6> call_arguments(const Registers& r, bool compat) {
  if (!compat) return {r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9};
  const auto low = [](uint64_t value) { return value & 0xffffffff; };
  return {low(r.rbx), low(r.rcx), low(r.rdx), low(r.rsi), low(r.rdi), low(r.rbp)};
}
/// `compat`: the call is a 32-bit one.
inline void set_first_call_argument(Registers& registers, bool compat, uint64_t value) {
  (compat ? registers.rbx : registers.rdi) = value;
}
inline int64_t call_result(const Registers& registers, bool compat = false) {
  return compat ? static_cast<int32_t>(registers.rax) : static_cast<int64_t>(registers.rax);
}
inline void set_call_result(Registers& registers, int64_t result) { registers.rax = static_cast<uint64_t>(result); }

/// At a stop inside signal delivery: whether the thread is returning from a call that a wake-up ended with EINTR.
inline bool returns_eintr(const Registers& registers) {
  constexpr int64_t kEintr = 4,
                    kClose = 3;  // close() has closed the descriptor all the same, so it must not be repeated
  return call_number(registers) >= 0 && call_number(registers) != kClose && call_result(registers) == -kEintr;
}
/// Whether the thread is returning from a call that the kernel will repeat, or end with EINTR, once it has looked for
/// signals.
inline bool waits_for_verdict(const Registers& registers) {
  return call_number(registers) >= 0 && call_result(registers) <= -512 && call_result(registers) >= -516;
}
/// Whether the call writes, so that an interrupt may end it with a smaller count than it was asked for. So may a recv with
/// MSG_WAITALL, which cannot be told from all others by its number.
inline bool may_fall_short(int64_t call) { return call == 1 || call == 18 || call == 44; }
/// Whether the thread is returning from a write, or from a read that waits for everything, with a smaller count than it
/// asked for.
inline bool is_short(const Registers& registers) {
  constexpr int64_t kWrite = 1, kPwrite = 18, kSendto = 44, kRecvfrom = 45;
  constexpr uint64_t kWaitAll = 0x100;
  int64_t call = call_number(registers), result = call_result(registers);
  bool all = call == kWrite || call == kPwrite || call == kSendto || (call == kRecvfrom && (registers.r10 & kWaitAll));
  return all && result > 0 && static_cast<uint64_t>(result) < registers.rdx;
}
/// ERESTARTNOHAND: the kernel repeats the call, unless a handler runs; then the program gets EINTR, as it would
/// untraced.
inline void restart_unless_handled(Registers& registers) { set_call_result(registers, -514); }
inline bool restarts_unless_handled(const Registers& registers) {
  return call_number(registers) >= 0 && call_result(registers) == -514;
}
/// Whether the kernel would continue the call by restart_syscall, another call than the program's.
inline bool restarts_by_call(const Registers& registers) {
  return call_number(registers) >= 0 && call_result(registers) == -516;
}
inline void return_eintr(Registers& registers) { set_call_result(registers, -4); }
/// At the entry of a call: no call is made now, and the thread returns to its system call instruction.
inline void enter_anew(Registers& registers) {
  registers.rax = registers.orig_rax;
  registers.rip -= sizeof kSyscallInstruction;
  registers.orig_rax = ~uint64_t{0};
}
/// Whether the thread runs 64-bit code. Even then a call made by `int $0x80` is a 32-bit one.
inline bool is_native(const Registers& registers) { return registers.cs == 0x33; }
/// The same, judged by the stack pointer alone: 32-bit code has its stack below 4 GiB.
inline bool is_native_stack(uint64_t sp) { return sp >> 32 != 0; }
/// Whether the registers show the effects of the `syscall` instruction, so the call is a 64-bit one. False: it may be
/// either.
inline bool made_by_syscall(const Registers& r) { return is_native(r) && r.rcx == r.rip && r.r11 == r.eflags; }

/// Sets the registers so that the thread makes a system call at `instruction`, without restarting an earlier one.
void set_call(Registers& registers, uint64_t instruction, long number, const uint64_t (&arguments)[6]);

/// fork, vfork, clone, clone3.
inline bool makes_child(int64_t call) { return call == 56 || call == 57 || call == 58 || call == 435; }

/// The breakpoint instruction, in an integer of its size.
using Breakpoint = uint8_t;
inline constexpr Breakpoint kBreakpoint = 0xcc;
/// The address of the breakpoint that the thread has just hit.
inline uint64_t breakpoint_address(const Registers& registers) { return registers.rip - sizeof kBreakpoint; }

/// Whether a SIGTRAP with this si_code may be that of a step. Under some hypervisors the processor's note of the step is
/// lost now and then (DR6 is 0). The kernel then reports TRAP_BRKPT, as for the instruction int1. But the guard never steps
/// that one, and a breakpoint's code is SI_KERNEL.
inline bool may_end_step(int code) { return code == TRAP_TRACE || code == TRAP_BRKPT; }

/// The trap flag: set when the program single-steps itself.
inline constexpr uint64_t kTrapFlag = 1 << 8, kResumeFlag = 1 << 16;
inline bool steps_itself(const Registers& registers) { return (registers.eflags & kTrapFlag) != 0; }
/// Whether a thread would do the same from both states, at the same position of its stack.
inline bool same_state(const Registers& a, const Registers& b) {
  constexpr uint64_t kIgnored = kTrapFlag | kResumeFlag;
  return a.rip == b.rip && a.rsp == b.rsp && a.rbp == b.rbp && a.rax == b.rax && a.rbx == b.rbx && a.rcx == b.rcx &&
         a.rdx == b.rdx && a.rsi == b.rsi && a.rdi == b.rdi && a.r8 == b.r8 && a.r9 == b.r9 && a.r10 == b.r10 &&
         a.r11 == b.r11 && a.r12 == b.r12 && a.r13 == b.r13 && a.r14 == b.r14 && a.r15 == b.r15 &&
         a.fs_base == b.fs_base && (a.eflags | kIgnored) == (b.eflags | kIgnored);
}

/// The calls by which a program installs a seccomp filter of its own.
inline constexpr uint32_t kPrctlCall = 157, kSeccompCall = 317, kCompatPrctlCall = 172, kCompatSeccompCall = 354;
inline constexpr uint32_t kPrctlSetSeccomp = 22;

/// What SECCOMP_MODE_STRICT allows: read, write, exit, and the sigreturn of this kind of code.
inline constexpr uint32_t kStrictCalls[] = {0, 1, 60, 15}, kCompatStrictCalls[] = {3, 4, 1, 119};

/// sigreturn(), which 64-bit code does not have.
inline constexpr uint32_t kCompatSigreturn = kUtraceCompatCalls + 119;

/// The argument of rt_sigaction: handler, flags, restorer, mask.
inline constexpr uint32_t kSigactionCall = 13;
inline constexpr uint64_t kSigsetBytes = 8;

/// Whether the call, at its entry, installs a seccomp filter; `all_threads`: in every thread of the process.
inline bool installs_filter(const utrace_call& call, bool* all_threads) {
  constexpr uint64_t kSetModeFilter = 1, kFlagTsync = 1;
  switch (call.number) {
    case kPrctlCall:
    case kUtraceCompatCalls + kCompatPrctlCall: return call.arguments[0] == kPrctlSetSeccomp;
    case kSeccompCall:
    case kUtraceCompatCalls + kCompatSeccompCall:
      *all_threads = call.arguments[0] == kSetModeFilter && (call.arguments[1] & kFlagTsync);
      return call.arguments[0] <= kSetModeFilter;
    default: return false;
  }
}

/// Whether the call, at its entry, asks for SECCOMP_MODE_STRICT.
inline bool asks_for_strict_mode(const utrace_call& call) {
  constexpr uint64_t kModeStrict = 1, kSetModeStrict = 0;
  const auto& a = call.arguments;
  if (call.number == kPrctlCall) return a[0] == kPrctlSetSeccomp && a[1] == kModeStrict;
  return call.number == kSeccompCall && a[0] == kSetModeStrict && a[1] == 0 && a[2] == 0;
}

/// Results of calls that the kernel repeats unless a handler runs.
inline constexpr int64_t kRestartSys = -512, kRestartNoIntr = -513, kRestartNoHand = -514, kRestartBlock = -516;
inline bool may_restart(int64_t result) {
  return result == kRestartSys || result == kRestartNoIntr || result == kRestartNoHand || result == kRestartBlock;
}
/// At the first instruction of a handler: the interrupted call's result once the handler has returned. False: the frame
/// cannot be read.
bool result_behind_handler(utrace_task& task, const Registers& registers, int64_t* result);

/// Whether the call, at its entry, sets the action of `signal`: at `arguments[1]`, and the handler is its first word.
inline bool sets_action(const utrace_call& call, int signal) {
  const auto& a = call.arguments;
  return call.number == kSigactionCall && static_cast<int>(a[0]) == signal && a[1] != 0 && a[3] == kSigsetBytes;
}

/// The calls that take flags for a child. The first argument is clone's flags, or the address of clone3's structure, which
/// begins with them, in 64 bits.
inline constexpr uint32_t kCloneCall = 56, kClone3Call = 435, kCompatCloneCall = 120, kCompatClone3Call = 435;
inline constexpr uint32_t kPtraceCall = 101;

/// The flags of a clone, clone3, fork or vfork. `read` reads the thread's memory. False: the flags are not known.
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
