// SPDX-License-Identifier: GPL-3.0-or-later
// Where the caller's frame is, by the call frame information of a file
//
// DWARF places a variable by a register that the prologue moves. To know its place before the prologue, one needs its
// distance from the CFA, which the prologue does not move.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>

namespace sonde {

class DwarfFrames {
 public:
  /// `file`: what dwfl_report_offline() has opened; null: nothing is known.
  explicit DwarfFrames(Dwfl_Module* file);

  /// Bytes from what the register, by DWARF's number, holds at `address` to the CFA.
  std::optional<int64_t> to_caller(Dwarf_Addr address, unsigned number);

 private:
  Dwarf_CFI *cfi_ = nullptr, *debug_cfi_ = nullptr;
};

}  // namespace sonde
