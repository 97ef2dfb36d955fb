// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// The tree of `expr` with types. One that has them is returned as it is.
ExprPtr check_expression(CheckContext& cx, ExprPtr expr);

/// The same of what has a value: a translated object has none. Arrays stay arrays.
ExprPtr check_value(CheckContext& cx, ExprPtr expr);

/// The same of a number or a pointer; `tag` and `message` refuse anything else.
ExprPtr check_scalar(CheckContext& cx, ExprPtr expr, std::string_view tag, const std::string& message);

/// The same of an integer constant; null if it is none.
ExprPtr check_constant(CheckContext& cx, ExprPtr expr);

}  // namespace sonde
