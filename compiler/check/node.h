// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/ast/declarations.h"

namespace sonde {

ExprPtr make_expr(ExprKind kind, const Type* type, SourceRange where);
/// The same with its kids.
template <typename... Kids>
ExprPtr make_expr(ExprKind kind, const Type* type, SourceRange where, Kids... kids) {
  ExprPtr expr = make_expr(kind, type, where);
  (expr->kids.push_back(std::move(kids)), ...);
  return expr;
}
ExprPtr make_integer(uint64_t value, const Type* type, SourceRange where);
ExprPtr make_cast(ExprPtr expr, const Type* to);
template <typename... Kids>
ExprPtr make_call(const DFunction& row, const Type* result, SourceRange where, Kids... kids) {
  ExprPtr expr = make_expr(ExprKind::Call, result, where, std::move(kids)...);
  expr->function = &row;
  return expr;
}
ExprPtr make_builtin(const DVariable& row, const Type* type, SourceRange where);

/// Turns a place into its value, which has no address and no bit width, and cannot be assigned to.
ExprPtr rvalue(ExprPtr expr);

/// `a op b`, computed if both are constants.
ExprPtr make_binary(Op op, ExprPtr a, ExprPtr b, const Type* type, SourceRange where);

/// Whether it is a constant 0, which can be any pointer or string.
bool is_null(const Expr& expr);

/// Whether it is a pointer to bytes, or an array of them.
bool is_char_pointer(const Type* type);

/// Returns the constant that `expr` computes to, or `expr` itself.
ExprPtr fold(ExprPtr expr);

/// `value` as a value of `type`, extended to 64 bits.
uint64_t cut(uint64_t value, const Type* type);

/// Whether it assigns or calls anything.
bool has_side_effects(const Expr& expr);

}  // namespace sonde
