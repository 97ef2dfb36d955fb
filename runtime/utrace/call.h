// SPDX-License-Identifier: GPL-3.0-or-later
// A system call of a traced thread
#pragma once

#include <cstdint>

namespace sonde {

/// What 32-bit code's numbers have added here: they mean other calls. By this, not by the mode that the code runs in, which may make
/// calls of either kind.
inline constexpr uint32_t kUtraceCompatCalls = 512;
/// The call that a thread is in, at a report of one, of a clone, exec or exit; -1: its number is not known.
struct utrace_call {
  int64_t number;         ///< 64-bit code's, or kUtraceCompatCalls + 32-bit code's
  uint64_t arguments[6];  ///< as it has them now; 32-bit code's are zero-extended
  int64_t result;         ///< at its return: negative errno as the program gets it; -512 to -516: it is made again
  uint64_t returned_at;   ///< CLOCK_MONOTONIC, ns: of a return that is told late; else 0
};

}  // namespace sonde
