// SPDX-License-Identifier: GPL-3.0-or-later
// args[] of functions, from the debug information of their object
//
// Which parameters there are, DWARF says. Where they are at the first instruction, the calling convention says
// (calling_convention.h), and DWARF confirms. Where these two disagree, or the compiler may have changed the function,
// or its language has rules that nobody has written down, only DWARF counts, where it speaks of the first instruction itself
// (dwarf_entry.h), and not of what is assigned there (dwarf_views.h). What is left is unknown, with the reason: a wrong number is worse than none.
#pragma once

#include <string>
#include <vector>

#include "providers/pid/calling_convention.h"

namespace sonde::pid {

struct Parameter {
  std::string type, name;
  ValuePlace place;
};

struct Signature {
  bool known = false;
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;  ///< args[1] and the following of a return probe; only Go has more than one
};

inline constexpr uint8_t kResultArgument = 1;  ///< of the first result

/// The signature of the function at file offset `entry` of the object `path`; `symbol` is its name there. Debug
/// information is opened once per object. Not known: there is none.
Signature signature_at(const std::string& path, uint64_t entry, const std::string& symbol);

}  // namespace sonde::pid
