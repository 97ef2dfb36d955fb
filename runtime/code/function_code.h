// SPDX-License-Identifier: GPL-3.0-or-later
// The instructions by which a function is left
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
// A return probe is on each leaving instruction. That is sound because of a check: code is decoded from its first byte,
// and every inside address that a branch or a landing pad names must be the start of an instruction. If one is not, the
// decoded instructions are not those that run, and a breakpoint could fall into the middle of one. Such a function is
// refused.
//
// A jump to the outside while the function's frame is on the stack (the stack is not as at its first instruction) is
// not a return: the frame moves on with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmod/shared/leave.h"
#include "runtime/process/elf_code.h"
#include "runtime/process/elf_file.h"

namespace sonde {

/// An instruction of a function that a tap is on.
struct CodePlace {
  uint64_t offset = 0;  ///< in the file
  sonde_leave leave = {};
};

struct FunctionCode {
  uint64_t size = 0;                   ///< bytes of the function itself; 0: unknown
  std::string broken;                  ///< why neither instructions nor returns can be armed; empty: they can
  std::string endless;                 ///< if it is not broken: why it has no return probe; empty: it has one
  bool never_returns = false;          ///< the reason in `endless`
  std::vector<uint32_t> instructions;  ///< offsets from the entry, rising
  std::vector<CodePlace> leaves;       ///< by rising offset
  std::vector<CodePlace> reenters;     ///< jumps to its own first instruction
};

/// Analyses functions of one file.
class FunctionReader {
 public:
  FunctionReader(const ElfFile& file, ElfCode& code) : file_(file), code_(code) {}

  FunctionCode read(const ElfFunction& function);
  /// Only FunctionCode::reenters. Most functions have none, which their bytes show without being decoded.
  std::vector<CodePlace> reenters(const ElfFunction& function);
  /// Bytes; 0: unknown.
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
  std::vector<uint64_t> jumped_to_;  ///< functions to which cold parts, or code without a symbol, may jump; sorted
};

}  // namespace sonde
