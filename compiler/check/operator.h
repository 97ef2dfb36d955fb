// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// An operator as the parser made it: a Unary, Binary, Logical, Conditional, Deref, AddressOf or Comma.
ExprPtr check_operator(CheckContext& cx, ExprPtr expr);

/// If the condition is a constant: the arm that it selects; the other is dropped unchecked. Null: it is not.
ExprPtr only_arm(Expr& conditional);

}  // namespace sonde
