// SPDX-License-Identifier: GPL-3.0-or-later
// The system calls of this machine
//
// One generated table (arch/<machine>/syscalls.inc, by generate.py from the kernel's own headers):
// number, name, and type and name of each parameter. The syscall provider makes its probes
// from it, args[] and -lv are typed by it, and the classic view is printed by it:
//
//   sys_openat(dfd: ffffff9c, filename: 7f..., flags: 8000, mode: 0)      argstr, inside the parentheses
//   sys_close -> 0x0                                                      retstr, behind the arrow
//
// 32-bit code has numbers and calls of its own (int $0x80, sysenter). Where both have a call of that name it is one call here, by
// 64-bit code's number; what only 32-bit code has (waitpid, socketcall, geteuid32) is number kCompatCalls + its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sonde {

inline constexpr uint32_t kCompatCalls = 512;
inline constexpr uint32_t kSyscallsMax = 2 * kCompatCalls;  ///< numbers are below this

struct SyscallParameter {
  const char* type;  ///< C type, as "const char *"
  const char* name;
  uint8_t bytes;  ///< that count in the register: 2, 4 or 8
};

struct SyscallInfo {
  uint32_t number;
  const char* name;  ///< without "sys_"
  uint8_t argument_count;
  SyscallParameter parameters[6];

  std::span<const SyscallParameter> arguments() const { return {parameters, argument_count}; }
};

/// Every system call, by rising number.
std::span<const SyscallInfo> syscall_table();

/// The call that 32-bit code means by `number`; kSyscallsMax: none that is known.
uint32_t syscall_of_compat(uint32_t number);
/// The number by which 32-bit code makes the call `number`, if it has it.
std::optional<uint32_t> compat_number(uint32_t number);

/// Null: no such number, no such name.
const SyscallInfo* find_syscall(uint32_t number);
const SyscallInfo* find_syscall(std::string_view name);

/// "dfd: ffffff9c, filename: 7f..., flags: 8000, mode: 0"; each behind its type when `with_types`. `args` are the registers:
/// what a parameter's type leaves out is cut off. A call of no known number shows six plain words.
std::string format_syscall_arguments(uint32_t number, std::span<const uint64_t> args, bool with_types = false);

/// "0x0"; "-1 ENOENT (No such file or directory)" when there was an error.
std::string format_syscall_result(uint64_t value, int error);

}  // namespace sonde
