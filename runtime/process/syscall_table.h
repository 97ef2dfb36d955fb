// SPDX-License-Identifier: GPL-3.0-or-later
// The system calls of this machine
//
// One generated table (arch/<machine>/syscalls.inc, by generate.py from the kernel's own headers): number, name, and
// type and name of each parameter. It has three users: the syscall provider makes its probes from it, args[] and -lv
// get their types from it, and the classic view is printed by it:
//
//   sys_openat(dfd: ffffff9c, filename: 7f..., flags: 8000, mode: 0)      argstr, inside the parentheses
//   sys_close -> 0x0                                                      retstr, behind the arrow
//
// 32-bit code has numbers and calls of its own (int $0x80, sysenter). If both kinds have a call of a name, it is one
// call here, with the 64-bit number; a call that only 32-bit code has (waitpid, socketcall, geteuid32) is number
// kCompatCalls + its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sonde {

inline constexpr uint32_t kCompatCalls = 512;
/// Stands for every call whose number has no name; all other numbers are below it.
inline constexpr uint32_t kUnnamedCall = 2 * kCompatCalls;

/// For a table whose rows have a call's number each, by number: the row's place; kUnnamedCall: there is none.
template <typename Rows>
consteval std::array<uint16_t, kUnnamedCall> places_by_number(const Rows& rows) {
  std::array<uint16_t, kUnnamedCall> places{};
  places.fill(kUnnamedCall);
  uint16_t place = 0;
  for (const auto& row : rows) places[row.number] = place++;
  return places;
}

struct SyscallParameter {
  const char* type;  ///< C type, such as "const char *"
  const char* name;
  uint8_t bytes;  ///< significant bytes of the register: 2, 4 or 8
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

/// The call that `number` means in 32-bit code, and in 64-bit code; kUnnamedCall: it has no name there.
uint32_t syscall_of_compat(uint32_t number);
uint32_t syscall_of_native(uint32_t number);
/// The 32-bit number of the call `number`, if 32-bit code has the call.
std::optional<uint32_t> compat_number(uint32_t number);

/// Null: no such number, no such name.
const SyscallInfo* find_syscall(uint32_t number);
const SyscallInfo* find_syscall(std::string_view name);

/// The name by which an unnamed call is shown: "syscall_0x258". Without a number it stands for those that are not shown one
/// by one.
std::string unnamed_call(std::optional<uint32_t> number);
/// The number in such a name. None: it is no such name.
std::optional<uint32_t> number_of_unnamed(std::string_view name);

/// "dfd: ffffff9c, filename: 7f..., flags: 8000, mode: 0"; each behind its type if `with_types`. `args` are the
/// registers; bytes beyond a parameter's type are cut off. An unknown call shows six words.
std::string format_syscall_arguments(uint32_t number, std::span<const uint64_t> args, bool with_types = false);

/// "ENOENT"; ERESTARTSYS and its like, which only the kernel knows; "4000" where there is no name; "" for 0.
std::string syscall_error_name(int error);

/// "0x0"; "-1 ENOENT (No such file or directory)" when there was an error.
std::string format_syscall_result(uint64_t value, int error);

}  // namespace sonde
