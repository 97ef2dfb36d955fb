// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/ast/ast.h"

namespace sonde {

/// Checks the order of speculate(), commit() and the other statements, each of which has been checked.
void check_speculation(const ClauseAst& clause, Diagnostics& diagnostics);

}  // namespace sonde
