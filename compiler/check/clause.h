// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Carries out the declarations, and returns the checked clauses. Consumes `tree`.
std::vector<ClauseAst> check_items(CheckContext& cx, SyntaxTree& tree);

}  // namespace sonde
