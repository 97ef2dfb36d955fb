// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// A value that is computed with: a bit-field narrower than int is an int.
ExprPtr operand(CheckContext& cx, ExprPtr expr);

/// The type of an arithmetic operation: that of the larger operand, of two of one size the unsigned one. Nothing becomes int.
const Type* wider(const Type* a, const Type* b);

/// Values stand extended in 64 bits, so a change of sign is a change of view.
ExprPtr same_sign(CheckContext& cx, ExprPtr expr, bool is_signed);

/// All but + and -, of numbers.
ExprPtr arithmetic(CheckContext& cx, ExprPtr expr);

/// + and -, of numbers and of pointers.
ExprPtr additive(CheckContext& cx, ExprPtr expr);

/// Refuses two operands that do not go together.
[[noreturn]] void incompatible(CheckContext& cx, const Expr& expr, const std::string& op, const Expr& left,
                               const Expr& right);

}  // namespace sonde
