// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Checks `expr`, and returns the tree with types. A tree that has types is returned as it is.
ExprPtr check_expression(CheckContext& cx, ExprPtr expr);

/// The same for an expression that must have a value, which a translated object does not have. Arrays stay arrays.
ExprPtr check_value(CheckContext& cx, ExprPtr expr);

/// The same for a number or a pointer; anything else is refused with `tag` and `message`.
ExprPtr check_scalar(CheckContext& cx, ExprPtr expr, std::string_view tag, const std::string& message);

/// The same for an integer constant; null if it is not one.
ExprPtr check_constant(CheckContext& cx, ExprPtr expr);

}  // namespace sonde
