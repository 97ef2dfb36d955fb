// SPDX-License-Identifier: GPL-3.0-or-later
// Where a unit calls its functions, from the call sites that compilers describe when they optimize
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sonde {

class DwarfCalls {
 public:
  /// The addresses behind the calls of `function`, or of another copy of it, in its own unit.
  std::vector<uint64_t> behind(Dwarf_Die& function);

 private:
  void index(Dwarf_Die& parent, int depth);

  std::unordered_set<void*> units_;                          ///< those that have been read
  std::unordered_map<void*, std::vector<uint64_t>> behind_;  ///< by the function that a call names
};

}  // namespace sonde
