// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Matches the clause's descriptions. The matched probes are in the context until the next clause.
void resolve_probes(CheckContext& cx, ClauseAst& clause);

/// What providers say of the matched probes in D: where their conditions are true, and how arguments are read.
void resolve_told_probes(CheckContext& cx, ClauseAst& clause);
/// Behind the clause: computes those arguments of such probes that it reads.
void add_told_arguments(CheckContext& cx, ClauseAst& clause);

/// argN.
ExprPtr raw_argument(CheckContext& cx, uint64_t index, SourceRange where);

/// args[n].
ExprPtr typed_argument(CheckContext& cx, ExprPtr expr);

}  // namespace sonde
