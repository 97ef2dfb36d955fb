// SPDX-License-Identifier: GPL-3.0-or-later
// Compatible types, and the casts between them
//
// Arithmetic leaves 64 bits; a value is cut to its type only where that is visible: where it is stored, passed, used as
// a key or printed. may_overflow() tells which expressions can have bits beyond their type; the others need no Cast.
#include "compiler/check/convert.h"

#include "compiler/check/node.h"

namespace sonde {
namespace {

/// Whether arithmetic may have left bits beyond its type.
bool may_overflow(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Binary: return expr.op < Op::Eq || expr.op > Op::Ge;
    case ExprKind::Unary: return expr.op != Op::LogNot;
    case ExprKind::Conditional: return may_overflow(*expr.kids[1]) || may_overflow(*expr.kids[2]);
    case ExprKind::Comma: return may_overflow(*expr.kids.back());
    case ExprKind::Integer: return true;  // folded
    default: return false;
  }
}

}  // namespace

bool assignable(const Type* to, const Expr& from) {
  const Type* a = to->canonical;
  const Type* b = from.type->canonical;
  switch (a->kind) {
    case Type::Kind::Any:
      return b->kind != Type::Kind::Void && b->kind != Type::Kind::Dynamic && b->kind != Type::Kind::Aggregation;
    case Type::Kind::Integer:
    case Type::Kind::Enum: return from.type->is_integer();
    case Type::Kind::Float: return b->kind == Type::Kind::Float || is_null(from);
    case Type::Kind::String: return b->kind == Type::Kind::String || is_char_pointer(b) || is_null(from);
    case Type::Kind::Pointer: {
      if (is_null(from)) return true;
      if (b->kind == Type::Kind::String) return is_char_pointer(a);
      if (b->kind != Type::Kind::Pointer && b->kind != Type::Kind::Array) return false;
      const Type *x = a->target->canonical, *y = b->target->canonical;
      bool integers = x->kind == Type::Kind::Integer && y->kind == Type::Kind::Integer && x->size == y->size;
      return x == y || integers || x->kind == Type::Kind::Void || y->kind == Type::Kind::Void;
    }
    case Type::Kind::Struct:
    case Type::Kind::Union:
    case Type::Kind::Symbol: return a == b;
    case Type::Kind::Stack: return a == b || is_null(from);
    case Type::Kind::Void:
    case Type::Kind::Array:
    case Type::Kind::Function:
    case Type::Kind::Dynamic:
    case Type::Kind::Aggregation: return false;
  }
  return false;
}

ExprPtr decay(CheckContext& cx, ExprPtr expr) {
  const Type* real = expr->type->canonical;
  if (real->kind != Type::Kind::Array) return expr;
  const Type* pointer = cx.world.types.pointer_to(real->target);
  if (expr->kind == ExprKind::Deref) return make_cast(std::move(expr->kids[0]), pointer);
  if (expr->kind != ExprKind::Variable) return make_cast(std::move(expr), pointer);  // its value is its address
  const SourceRange where = expr->where;
  return make_expr(ExprKind::AddressOf, pointer, where, std::move(expr));
}

ExprPtr string_of(CheckContext& cx, ExprPtr expr, SourceRange where) {
  const Type* type = expr->type->canonical;
  ExprPtr out = make_expr(ExprKind::StringOf, cx.world.types.string_type(), where, decay(cx, std::move(expr)));
  if (type->kind == Type::Kind::Array) out->integer = type->size;
  return out;
}

ExprPtr convert(CheckContext& cx, ExprPtr expr, const Type* to) {
  const Type *a = to->canonical, *b = expr->type->canonical;
  if (a->kind == Type::Kind::Any) return printable(std::move(expr));
  if (a->kind == Type::Kind::String) {
    if (b->kind == Type::Kind::String) return expr;
    if (is_null(*expr)) return make_integer(0, to, expr->where);
    SourceRange where = expr->where;
    return string_of(cx, std::move(expr), where);
  }
  if (b->kind == Type::Kind::Array) expr = decay(cx, std::move(expr));
  if (!to->is_integer() && a->kind != Type::Kind::Pointer) {
    if (a->kind == Type::Kind::Float && expr->kind == ExprKind::Integer) return make_integer(0, to, expr->where);
    return expr;
  }
  if (expr->kind == ExprKind::Integer) return make_integer(cut(expr->integer, to), to, expr->where);
  b = expr->type->canonical;
  bool same_word = a->size == b->size && a->is_signed == b->is_signed && b->kind != Type::Kind::String;
  if (same_word && (a->size == 8 || !may_overflow(*expr)))
    if (a == b) return expr;
  return make_cast(std::move(expr), to);
}

ExprPtr printable(ExprPtr expr) {
  if (!expr->type->is_integer() || expr->type->canonical->size == 8 || !may_overflow(*expr)) return expr;
  const Type* type = expr->type;
  if (expr->kind == ExprKind::Integer) return make_integer(cut(expr->integer, type), type, expr->where);
  return make_cast(std::move(expr), type);
}

}  // namespace sonde
