// SPDX-License-Identifier: GPL-3.0-or-later
// What D accepts and nobody means: each is a warning, and the script runs
//
//   /x = 1/             an assignment decides
//   x == 1;             a comparison whose result nothing uses
//   "a" + 1             the address of a string, plus one
//   #pragma option q    a pragma without D, which is ignored
//
// DTrace is silent about all of them. /0/ is none: scripts use it to declare a variable or an aggregation. They are found in the text alone, before names are resolved, so a script that has
// errors gets both.
#pragma once

#include <vector>

#include "compiler/ast/declarations.h"
#include "compiler/source/diagnostic.h"
#include "compiler/source/prepare.h"

namespace sonde {

void warn_of_doubtful(const SyntaxTree& tree, Diagnostics& diagnostics);
void warn_of_foreign_pragmas(const std::vector<ControlLine>& lines, Diagnostics& diagnostics);

}  // namespace sonde
