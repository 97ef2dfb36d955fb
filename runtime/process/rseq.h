// SPDX-License-Identifier: GPL-3.0-or-later
// Restartable sequences, rseq(2)
//
// A thread that is preempted, or returns from a trap, inside of a restartable sequence continues at the sequence's abort
// handler, which usually begins it again. So a breakpoint there, or right before it, is hit for ever. Compilers know nothing of them: they are described in
// the section __rseq_cs, a struct rseq_cs each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sonde {

struct CodeRange {
  uint64_t begin = 0, end = 0;  ///< offsets in the file
  bool contains(uint64_t offset) const { return offset >= begin && offset < end; }
};

/// The restartable sequences of an object; empty: it has none, or no section headers, or cannot be read.
std::vector<CodeRange> restartable_sequences(const std::string& path);

}  // namespace sonde
