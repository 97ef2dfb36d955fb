// SPDX-License-Identifier: GPL-3.0-or-later
// A stub machine: its registers, sizes and numbers differ from x86-64's
//
// arch_stub (tests/CMakeLists.txt) compiles the machine-independent code with this file instead of
// runtime/utrace/arch.h, and with ../guard/arch.h. So a source that names a register, or assumes that a breakpoint has
// one byte or that all machines pass six arguments, does not compile. Nothing of it is linked: the declarations here
// are those that a port must implement.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/utrace/call.h"

namespace sonde {
struct utrace_task;
}

namespace sonde::machine {

struct Registers {
  uint32_t cause;
  uint64_t file[8];
  uint64_t stack, next, call;
};

int read_registers(pid_t tid, Registers* to);
int write_registers(pid_t tid, const Registers& from);
int read_vector(pid_t tid, uint32_t number, void* to);
uint64_t pc(const Registers& registers);
void set_pc(Registers& registers, uint64_t address);
uint64_t sp(const Registers& registers);
uint64_t thread_block(const Registers& registers);

inline constexpr unsigned kRegisterArguments = 4;
uint64_t function_argument(const Registers& registers, unsigned number);
uint64_t stack_arguments(const Registers& registers);
uint64_t function_result(const Registers& registers);
uint64_t unused_stack(const Registers& registers);

inline constexpr uint32_t kAuditArch = 1, kCompatAuditArch = 2;
inline constexpr uint8_t kSyscallInstruction[] = {1, 2, 3, 4};
int64_t call_number(const Registers& registers);
void set_call_number(Registers& registers, int64_t number);
std::array<uint64_t, 6> call_arguments(const Registers& registers, bool compat);
void set_first_call_argument(Registers& registers, bool compat, uint64_t value);
int64_t call_result(const Registers& registers, bool compat = false);
void set_call_result(Registers& registers, int64_t result);
void set_call(Registers& registers, uint64_t instruction, long number, const uint64_t (&arguments)[6]);
bool returns_eintr(const Registers& registers);
bool waits_for_verdict(const Registers& registers);
bool is_short(const Registers& registers);
void restart_unless_handled(Registers& registers);
bool restarts_unless_handled(const Registers& registers);
bool restarts_by_call(const Registers& registers);
void return_eintr(Registers& registers);
void enter_anew(Registers& registers);
bool is_native(const Registers& registers);
bool is_native_stack(uint64_t sp);
bool made_by_syscall(const Registers& registers);
bool makes_child(int64_t call);
bool may_fall_short(int64_t call);

using Breakpoint = uint32_t;
inline constexpr Breakpoint kBreakpoint = 0xd4200000;
uint64_t breakpoint_address(const Registers& registers);
bool may_end_step(int code);
bool steps_itself(const Registers& registers);
bool same_state(const Registers& a, const Registers& b);

inline constexpr uint32_t kPrctlCall = 1, kSeccompCall = 2, kCompatPrctlCall = 3, kCompatSeccompCall = 4;
inline constexpr uint32_t kPrctlSetSeccomp = 22;
inline constexpr uint32_t kCloneCall = 7, kClone3Call = 8, kCompatCloneCall = 9, kCompatClone3Call = 10,
                          kPtraceCall = 11;
inline constexpr uint32_t kStrictCalls[] = {1}, kCompatStrictCalls[] = {2};
bool asks_for_strict_mode(const utrace_call& call);
bool sets_action(const utrace_call& call, int signal);
inline constexpr uint32_t kCompatSigreturn = kUtraceCompatCalls + 5;
inline constexpr uint32_t kSigactionCall = 6;
inline constexpr uint64_t kSigsetBytes = 8;
inline constexpr int64_t kRestartSys = -512, kRestartNoIntr = -513;
bool may_restart(int64_t result);
bool result_behind_handler(utrace_task& task, const Registers& registers, int64_t* result);

bool installs_filter(const utrace_call& call, bool* all_threads);
template <typename Read>
bool clone_flags(const utrace_call& call, Read read, uint64_t* flags) {
  return read(call.arguments[0], flags, sizeof *flags);
}

}  // namespace sonde::machine
