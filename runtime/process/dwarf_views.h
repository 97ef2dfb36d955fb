// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a unit's debug information tells instants apart at which the program is at the same address
//
// `x = y` as the first act of a function needs no instruction. Then x has two locations at its first address: where it
// was passed, if at all, and where y was. Gcc numbers such instants ("views") and lists both, an empty range first:
//
//   1470 view 1 to 1470 view 2   what was passed
//   1470 view 2 to 1492          5
//
// Without views only the second one is left, perhaps as a constant of the whole function. LLVM has no views, old and
// strict DWARF neither. Where the link optimizes, gcc has forgotten what was passed, and lists the second one alone.
// Where gcc does not optimize, an assignment has an instruction.
#pragma once

#include <elfutils/libdw.h>

#include <unordered_map>

namespace sonde {

class DwarfViews {
 public:
  /// Whether what the unit of this function says of a first address was so before the first assignment.
  bool are_in_unit_of(Dwarf_Die& function);

 private:
  std::unordered_map<void*, bool> units_;
};

}  // namespace sonde
