// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/ast/ast.h"
#include "compiler/lowered/lowered.h"

namespace sonde {

/// Copies a clause, checked without an error, to the lowered tree. Consumes `clause`.
LoweredClause lower(ClauseAst clause);

}  // namespace sonde
