// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/syscall_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/hex.h"
#include "runtime/process/arch.h"

namespace sonde {
namespace {

constexpr SyscallInfo kTable[] = {
#include SONDE_ARCH_SYSCALLS
// by rising number
#include SONDE_ARCH_COMPAT_CALLS
};
static_assert(std::ranges::is_sorted(kTable, {}, &SyscallInfo::number));

/// By the number in 32-bit code.
constexpr uint16_t kCompatNumbers[] = {
#define NO_CALL kUnnamedCall
#include "kmod/shared/compat_numbers.h"
#undef NO_CALL
};

/// By the number in 64-bit code: that in 32-bit code, the least if there are several.
constexpr auto kNumbersInCompat = [] {
  std::array<uint16_t, kUnnamedCall> numbers{};
  numbers.fill(kUnnamedCall);
  for (size_t i = std::size(kCompatNumbers); i-- > 0;)
    if (kCompatNumbers[i] != kUnnamedCall) numbers[kCompatNumbers[i]] = static_cast<uint16_t>(i);
  return numbers;
}();

constexpr auto kByNumber = places_by_number(kTable);

/// FNV-1a
constexpr size_t hash_of(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash ^ hash >> 32;
}

/// Places in the table by the hash of the name, the lower number first; kUnnamedCall: free. The compiler makes it, so
/// that no start pays for it.
constexpr auto kByName = [] {
  std::array<uint16_t, 1024> places{};
  static_assert(std::size(kTable) < places.size() / 2);
  places.fill(kUnnamedCall);
  for (size_t place = 0; place < std::size(kTable); place++) {
    size_t at = hash_of(kTable[place].name);
    while (places[at % places.size()] != kUnnamedCall) at++;
    places[at % places.size()] = static_cast<uint16_t>(place);
  }
  return places;
}();

constexpr std::string_view kUnnamedPrefix = "syscall_0x";

/// The kernel's names for the results of interrupted calls that it restarts; no program gets them.
constexpr std::pair<int, const char*> kRestarts[] = {
    {512, "ERESTARTSYS"}, {513, "ERESTARTNOINTR"}, {514, "ERESTARTNOHAND"}, {516, "ERESTART_RESTARTBLOCK"}};

uint64_t cut(uint64_t value, unsigned bytes) { return bytes >= 8 ? value : value & ((uint64_t{1} << (bytes * 8)) - 1); }

std::string format_words(std::span<const uint64_t> args) {
  std::string text;
  for (uint64_t arg : args) text += (text.empty() ? "" : ", ") + hex_digits(arg);
  return text;
}

}  // namespace

std::span<const SyscallInfo> syscall_table() { return kTable; }

uint32_t syscall_of_compat(uint32_t number) {
  return number < std::size(kCompatNumbers) ? kCompatNumbers[number] : kUnnamedCall;
}

uint32_t syscall_of_native(uint32_t number) {
  return number < kCompatCalls && find_syscall(number) != nullptr ? number : kUnnamedCall;
}

std::optional<uint32_t> compat_number(uint32_t number) {
  if (number >= kUnnamedCall || kNumbersInCompat[number] == kUnnamedCall) return std::nullopt;
  return kNumbersInCompat[number];
}

std::string unnamed_call(std::optional<uint32_t> number) {
  return std::string(kUnnamedPrefix) + (number ? hex_digits(*number) : "");
}

std::optional<uint32_t> number_of_unnamed(std::string_view name) {
  if (!name.starts_with(kUnnamedPrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kUnnamedPrefix.size());
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return error == std::errc() && unnamed_call(number) == name ? std::optional(number) : std::nullopt;
}

const SyscallInfo* find_syscall(uint32_t number) {
  const uint32_t place = number < kByNumber.size() ? kByNumber[number] : kUnnamedCall;
  return place == kUnnamedCall ? nullptr : &kTable[place];
}

const SyscallInfo* find_syscall(std::string_view name) {
  for (size_t at = hash_of(name);; at++) {
    const uint16_t place = kByName[at % kByName.size()];
    if (place == kUnnamedCall) return nullptr;
    if (kTable[place].name == name) return &kTable[place];
  }
}

std::string format_syscall_arguments(uint32_t number, std::span<const uint64_t> args, bool with_types) {
  const SyscallInfo* call = find_syscall(number);
  if (call == nullptr) return format_words(args.first(std::min<size_t>(args.size(), 6)));
  std::string text;
  for (size_t i = 0; i < call->argument_count && i < args.size(); i++) {
    const SyscallParameter& parameter = call->parameters[i];
    if (i > 0) text += ", ";
    if (with_types) text += std::string(parameter.type) + " ";
    text += std::string(parameter.name) + ": " + hex_digits(cut(args[i], parameter.bytes));
  }
  return text;
}

std::string syscall_error_name(int error) {
  if (error == 0) return "";
  for (const auto& [number, name] : kRestarts)
    if (number == error) return name;
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : std::to_string(error);
}

std::string format_syscall_result(uint64_t value, int error) {
  if (error == 0) return hex(value);
  const std::string result = "-1 " + syscall_error_name(error);
  if (std::ranges::find(kRestarts, error, &std::pair<int, const char*>::first) != std::end(kRestarts))
    return result + " (the call is made again)";
  const char* text = strerrordesc_np(error);
  return text != nullptr ? result + " (" + text + ")" : result;
}

}  // namespace sonde
