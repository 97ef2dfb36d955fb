// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Converts a value for arithmetic: a bit-field narrower than int becomes an int.
ExprPtr operand(CheckContext& cx, ExprPtr expr);

/// The type of an arithmetic operation: that of the larger operand; for equal sizes, the unsigned one. There is no
/// promotion to int.
const Type* wider(const Type* a, const Type* b);

/// Gives a value a signed or unsigned type. It is extended to 64 bits already, so its bits do not change.
ExprPtr same_sign(CheckContext& cx, ExprPtr expr, bool is_signed);

/// All but + and -, of numbers.
ExprPtr arithmetic(CheckContext& cx, ExprPtr expr);

/// + and -, of numbers and of pointers.
ExprPtr additive(CheckContext& cx, ExprPtr expr);

/// Refuses two operands that do not go together.
[[noreturn]] void incompatible(CheckContext& cx, const Expr& expr, const std::string& op, const Expr& left,
                               const Expr& right);

}  // namespace sonde
