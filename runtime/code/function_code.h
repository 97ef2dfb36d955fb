// SPDX-License-Identifier: GPL-3.0-or-later
// By which instructions a function is left
//
//   extent:  symbol size, else the FDE, else what its own branches reach
//   parts:   the function, and what the compiler moved away from it (NAME.cold)
//
//     foo:        test %edi,%edi             foo.cold:   call log
//                 je   foo.cold   inside                 jmp  foo+9    inside
//                 ...                                    ret           leaves
//                 jmp  *%rax      leaves, if its target is outside
//                 jmp  bar        leaves
//                 ret             leaves
//
// A return probe sits on each leaving instruction. What makes that sound is the sweep: code is decoded from its first byte, and
// each address inside that a branch or a landing pad names must begin an instruction. Where one does not, what runs is not
// what was decoded: a breakpoint could fall into the middle of an instruction. Such a function is refused.
//
// A jump that leads outside while the function's frame still stands (the stack is not as at its first instruction) is no return: its frame goes
// elsewhere with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmod/shared/leave.h"
#include "runtime/process/elf_code.h"
#include "runtime/process/elf_file.h"

namespace sonde {

/// One instruction of a function that a tap sits on.
struct CodePlace {
  uint64_t offset = 0;  ///< in the file
  sonde_leave leave = {};
};

struct FunctionCode {
  uint64_t size = 0;                   ///< bytes of the function itself; 0: not known
  std::string broken;                  ///< why neither instructions nor returns can be armed; empty: they can
  std::string endless;                 ///< why it has no return probe, where it is not broken; empty: it has
  bool never_returns = false;          ///< that is why
  std::vector<uint32_t> instructions;  ///< offsets from the entry, rising
  std::vector<CodePlace> leaves;       ///< by rising offset
  std::vector<CodePlace> reenters;     ///< jumps to its own first instruction
};

/// Analyses functions of one file.
class FunctionReader {
 public:
  FunctionReader(const ElfFile& file, ElfCode& code) : file_(file), code_(code) {}

  FunctionCode read(const ElfFunction& function);
  /// FunctionCode::reenters alone. Most functions have none, and their bytes tell so without being decoded.
  std::vector<CodePlace> reenters(const ElfFunction& function);
  /// Bytes; 0: it cannot be known.
  uint64_t extent(const ElfFunction& function) const;

 private:
  struct Reading;

  uint64_t reach(uint64_t start, uint64_t limit) const;
  bool may_reenter(const ElfFunction& function);
  void find_nameless_jumps();
  void find_jumps(uint64_t start, uint64_t size);

  const ElfFile& file_;
  ElfCode& code_;
  bool jumps_found_ = false;
  std::vector<uint64_t> jumped_to_;  ///< functions that cold parts, or code without a symbol, may jump to; sorted
};

}  // namespace sonde
