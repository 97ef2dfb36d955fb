// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "compiler/ast/declarations.h"

namespace sonde {

/// Adds that predicate, a text in D, to each clause, before its own. What fires in sonde itself, as BEGIN and tick-,
/// fires as before.
void narrow_clauses(SyntaxTree& tree, const std::string& predicate);

}  // namespace sonde
