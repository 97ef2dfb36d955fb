// SPDX-License-Identifier: GPL-3.0-or-later
// A system call of a traced thread
#pragma once

#include <cstdint>

namespace sonde {

/// Added to the numbers of 32-bit calls, which mean other calls. The kind of the call counts, not the mode of the code,
/// which may make calls of either kind.
inline constexpr uint32_t kUtraceCompatCalls = 512;
/// The call that a thread is in, at the report of a call, clone, exec or exit.
struct utrace_call {
  int64_t number;         ///< of a 64-bit call, or kUtraceCompatCalls + that of a 32-bit call; -1: not known
  uint64_t arguments[6];  ///< their current values; those of 32-bit calls are zero-extended
  int64_t result;         ///< at its return: negative errno as the program gets it; -512 to -516: the call is repeated
  uint64_t returned_at;   ///< CLOCK_MONOTONIC, ns: of a return that is reported late; else 0
};

}  // namespace sonde
