// SPDX-License-Identifier: GPL-3.0-or-later
// How deep the stack is in code that Go has compiled
//
// Go's linker writes no .eh_frame. But every Go program has .gopclntab, stripped or not, because its own runtime walks
// stacks by it: for each address of a function, how far the stack pointer is below the return address. Frame pointers
// are not enough: a function without a frame leaves its caller's in %rbp, and so the caller would be lost.
//
//   pc --> functab (bisect) --> _func --> pcsp: runs of addresses with their depths --> row: go_row(depth)
//
// Known are the layouts of Go 1.18 and 1.20; 1.26 has the latter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/guard/cfi.h"

namespace sonde::guard {

/// Whether Go has made the object in that file.
bool is_of_go(const std::string& path);

class GoTable {
 public:
  /// Of the object at `base`, whose file is `path`. Nothing if Go has not made it, or its layout is not known.
  static std::optional<GoTable> load(const std::string& path, uint64_t base, const ReadMemory& read);
  /// The row of `pc` in the object at `base`; nothing if its function is not Go's, or moves to another stack.
  std::optional<sonde_cfi_row> row(uint64_t base, uint64_t pc, const ReadMemory& read) const;

 private:
  struct Entry {
    uint32_t code, function;  ///< relative to the text, to the functions
  };
  // Relative to the ELF header.
  uint64_t text_ = 0, functions_ = 0, depths_ = 0;
  uint32_t flag_at_ = 0;  ///< in a _func
  std::vector<Entry> entries_;
};

}  // namespace sonde::guard
