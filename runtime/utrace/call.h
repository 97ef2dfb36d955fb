// SPDX-License-Identifier: GPL-3.0-or-later
// A system call of a traced thread
#pragma once

#include <cstdint>

namespace sonde {

/// Added to the numbers of 32-bit calls, which mean other calls. The kind of the call counts, not the mode of the code,
/// which may make calls of either kind.
inline constexpr uint32_t kUtraceCompatCalls = 512;
/// Added to the numbers, of 64-bit and of 32-bit code, that are negative or kUtraceCompatCalls and more, those of x32
/// among them. Such a call fails with ENOSYS, but programs make it.
inline constexpr int64_t kUtraceFarCalls = int64_t{1} << 32, kUtraceFarCompatCalls = int64_t{1} << 33;

/// Whether a number, as in utrace_call, is that of a 32-bit call.
constexpr bool utrace_is_compat(int64_t number) {
  return number >= kUtraceFarCompatCalls || (number >= kUtraceCompatCalls && number < kUtraceFarCalls);
}
/// The number as the program gave it.
constexpr uint32_t utrace_given_number(int64_t number) {
  const bool near_compat = number >= kUtraceCompatCalls && number < kUtraceFarCalls;
  return static_cast<uint32_t>(near_compat ? number - kUtraceCompatCalls : number);
}

/// The call that a thread is in, at the report of a call, clone, exec or exit.
struct utrace_call {
  /// Of a 64-bit call; or kUtraceCompatCalls + that of a 32-bit call; or one of the far calls; -1: not known.
  int64_t number;
  uint64_t arguments[6];  ///< their current values; those of 32-bit calls are zero-extended
  int64_t result;         ///< at its return: negative errno as the program gets it; -512 to -516: the call is repeated
  uint64_t returned_at;   ///< CLOCK_MONOTONIC, ns: of a return that is reported late; else 0
};

}  // namespace sonde
