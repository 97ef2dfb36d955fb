// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/ast/declarations.h"

namespace sonde {

ExprPtr make_expr(ExprKind kind, const Type* type, SourceRange where);
ExprPtr make_integer(uint64_t value, const Type* type, SourceRange where);
ExprPtr make_cast(ExprPtr expr, const Type* to);
/// Kids are to be appended.
ExprPtr make_call(const DFunction& row, const Type* result, SourceRange where);
ExprPtr make_builtin(const DVariable& row, const Type* type, SourceRange where);

/// The value of a place: it has no address and no width in bits, and nothing can be assigned to it.
ExprPtr rvalue(ExprPtr expr);

/// `a op b`, computed if both are constants.
ExprPtr make_binary(Op op, ExprPtr a, ExprPtr b, const Type* type, SourceRange where);

/// A constant 0, which every pointer and string can be.
bool is_null(const Expr& expr);

/// A pointer to bytes, or an array of them.
bool is_char_pointer(const Type* type);

/// The constant that `expr` is, or `expr` itself.
ExprPtr fold(ExprPtr expr);

/// `value` as a value of `type`, extended to 64 bits.
uint64_t cut(uint64_t value, const Type* type);

/// It assigns or calls something.
bool has_side_effects(const Expr& expr);

}  // namespace sonde
