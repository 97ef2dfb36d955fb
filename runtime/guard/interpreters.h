// SPDX-License-Identifier: GPL-3.0-or-later
// Interpreters of machine code
//
// Some tools do not let the processor run their program: they read its text, translate it, and run the result. They
// would translate a breakpoint, too, and their program would get a SIGTRAP that no tracer sees as one of its own. Each
// is known by a file that it maps.
#pragma once

#include <span>
#include <string_view>

#include "runtime/guard/mappings.h"

namespace sonde::guard {

struct Interpreter {
  std::string_view name;
  // Of the path of the mapped file; empty: any.
  std::string_view folder, name_begins, name_ends;

  /// Whether the file is the tool's own code, which the processor runs.
  bool is_own(std::string_view path) const;
};

/// The interpreter that has mapped its program here; null: there is none.
const Interpreter* interpreter_in(std::span<const Mapping> mappings);

}  // namespace sonde::guard
