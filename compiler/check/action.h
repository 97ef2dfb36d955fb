// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

bool is_action_call(const Expr& expr);

/// An action inside of an expression is a value of type void. Where every type was right it is refused here.
void only_statements_act(CheckContext& cx, const Expr& expr, bool is_statement);

/// The call of the action `row`, which becomes a site of the program.
ExprPtr check_action(CheckContext& cx, ExprPtr expr, const DFunction& row);

/// trace(value), of a value that was checked.
ExprPtr traced(CheckContext& cx, ExprPtr value);

}  // namespace sonde
