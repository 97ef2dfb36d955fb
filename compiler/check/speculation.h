// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/ast/ast.h"

namespace sonde {

/// The order of speculate(), commit() and what else the clause does. Every statement was checked.
void check_speculation(const ClauseAst& clause, Diagnostics& diagnostics);

}  // namespace sonde
