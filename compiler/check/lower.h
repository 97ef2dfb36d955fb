// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/ast/ast.h"
#include "compiler/lowered/lowered.h"

namespace sonde {

/// The lowered tree of a clause that was checked without an error. `clause` is used up.
LoweredClause lower(ClauseAst clause);

}  // namespace sonde
