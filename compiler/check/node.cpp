// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes as the checker makes them: with a type, and constants computed.
#include "compiler/check/node.h"

namespace sonde {

ExprPtr make_expr(ExprKind kind, const Type* type, SourceRange where) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->type = type;
  expr->where = where;
  return expr;
}

ExprPtr make_integer(uint64_t value, const Type* type, SourceRange where) {
  ExprPtr expr = make_expr(ExprKind::Integer, type, where);
  expr->integer = value;
  return expr;
}

ExprPtr make_cast(ExprPtr expr, const Type* to) {
  const SourceRange where = expr->where;
  return make_expr(ExprKind::Cast, to, where, std::move(expr));
}

ExprPtr rvalue(ExprPtr expr) {
  const bool place = expr->kind == ExprKind::Deref && (expr->type->is_integer() || expr->type->is_pointer());
  const Type* type = expr->type;
  return place ? make_cast(std::move(expr), type) : std::move(expr);
}

ExprPtr make_binary(Op op, ExprPtr a, ExprPtr b, const Type* type, SourceRange where) {
  ExprPtr out = make_expr(ExprKind::Binary, type, where, std::move(a), std::move(b));
  out->op = op;
  return fold(std::move(out));
}

bool is_null(const Expr& expr) {
  return expr.kind == ExprKind::Integer && expr.integer == 0 && expr.type && !expr.type->is_string();
}

bool is_char_pointer(const Type* type) {
  const Type* real = type->canonical;
  if (real->kind != Type::Kind::Pointer && real->kind != Type::Kind::Array) return false;
  const Type* target = real->target->canonical;
  return target->kind == Type::Kind::Integer && target->size == 1;
}

ExprPtr make_builtin(const DVariable& row, const Type* type, SourceRange where) {
  ExprPtr out = make_expr(ExprKind::Builtin, type, where);
  out->builtin = &row;
  return out;
}

}  // namespace sonde
