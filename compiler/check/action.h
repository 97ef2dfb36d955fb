// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

bool is_action_call(const Expr& expr);

/// An action inside of an expression is a value of type void. It is refused here if all types were right.
void only_statements_act(CheckContext& cx, const Expr& expr, bool is_statement);

/// Checks a call of the action `row`, and makes a site of it in the program.
ExprPtr check_action(CheckContext& cx, ExprPtr expr, const DFunction& row);

/// Makes trace(value) of a checked value.
ExprPtr traced(CheckContext& cx, ExprPtr value);

}  // namespace sonde
