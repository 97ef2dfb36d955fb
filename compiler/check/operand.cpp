// SPDX-License-Identifier: GPL-3.0-or-later
// Operands of arithmetic: what operators and op= share
//
//   + - * / % & | ^    of numbers: the type of the larger one; of two of one size the unsigned one (wider())
//   << >>              the type of the left operand
//
// D does not promote to int: a char plus a char is a char. The exceptions are comparisons and bit-fields narrower than
// int.
#include "compiler/check/operand.h"

#include "compiler/check/aggregation.h"
#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/node.h"
#include "compiler/library/library.h"

namespace sonde {

namespace {

/// Of a string and of something that is none.
std::string hint_on_string(CheckContext& cx, const Expr& string, const Expr& other) {
  if (string.kind == ExprKind::String && find_constant(string.text))
    return string.text + " is a number: write it without quotes";
  const bool quoted = other.where.begin < cx.source.text.size() && cx.source.text[other.where.begin] == '\'';
  return quoted ? "a string is written in double quotes" : "";
}

std::string hint_on_operands(CheckContext& cx, const std::string& op, const Expr& left, const Expr& right) {
  if (left.kind == ExprKind::AggregationRef || right.kind == ExprKind::AggregationRef) return kHintOnAggregation;
  const bool strings = left.type->is_string() && right.type->is_string();
  if (strings && (op == "+" || op == "+=")) return "strings are joined by strjoin(a, b)";
  if (left.type->is_string() != right.type->is_string()) {
    const std::string hint = left.type->is_string() ? hint_on_string(cx, left, right) : hint_on_string(cx, right, left);
    if (!hint.empty()) return hint;
  }
  const bool variable = left.kind == ExprKind::Variable || left.kind == ExprKind::ArrayElement;
  return op == "=" && variable ? "its type is that of its declaration or first assignment: use another name" : "";
}

}  // namespace

void incompatible(CheckContext& cx, const Expr& expr, const std::string& op, const Expr& left, const Expr& right) {
  cx.fail("D_OP_INCOMPAT", expr.where,
          "operands have incompatible types: \"" + left.type->name + "\" " + op + " \"" + right.type->name + "\"",
          hint_on_operands(cx, op, left, right));
}

const Type* wider(const Type* a, const Type* b) {
  const Type *x = a->canonical, *y = b->canonical;
  if (x->size != y->size) return x->size > y->size ? a : b;
  if (x->is_signed != y->is_signed) return x->is_signed ? b : a;
  return x->kind == Type::Kind::Enum ? b : a;
}

ExprPtr operand(CheckContext& cx, ExprPtr expr) {
  expr = check_value(cx, std::move(expr));
  bool narrow = expr->kind == ExprKind::Deref && expr->bit_width != 0 && expr->bit_width < 32;
  return narrow ? make_cast(std::move(expr), cx.world.types.int_type()) : std::move(expr);
}

ExprPtr same_sign(CheckContext& cx, ExprPtr expr, bool is_signed) {
  if (expr->type->canonical->is_signed == is_signed && !expr->type->is_pointer()) return expr;
  if (expr->type->is_pointer() && !is_signed) return expr;
  return fold(make_cast(std::move(expr), cx.world.types.integer(8, is_signed)));
}

ExprPtr arithmetic(CheckContext& cx, ExprPtr expr) {
  Expr &a = *expr->kids[0], &b = *expr->kids[1];
  if (!a.type->is_integer() || !b.type->is_integer()) {
    if (expr->op == Op::Mul || expr->op == Op::Div)
      cx.fail("D_OP_ARITH", expr->where, "operator " + expr->text + " requires operands of arithmetic type");
    cx.fail("D_OP_INT", expr->where, "operator " + expr->text + " requires operands of integral type");
  }
  bool shifts = expr->op == Op::Shl || expr->op == Op::Shr;
  const Type* type = shifts ? a.type : wider(a.type, b.type);
  const bool divides = expr->op == Op::Div || expr->op == Op::Mod;
  if (divides && b.kind == ExprKind::Integer && b.integer == 0)
    cx.fail("D_DIV_ZERO", expr->where, "expression contains division by zero");
  if (divides)
    for (ExprPtr& kid : expr->kids) kid = same_sign(cx, std::move(kid), type->canonical->is_signed);
  return make_binary(expr->op, std::move(expr->kids[0]), std::move(expr->kids[1]), type, expr->where);
}

ExprPtr additive(CheckContext& cx, ExprPtr expr) {
  const Type *a = expr->kids[0]->type, *b = expr->kids[1]->type;
  if (a->is_integer() && b->is_integer()) return arithmetic(cx, std::move(expr));
  bool swapped = expr->op == Op::Add && a->is_integer() && b->is_pointer();
  if (swapped) {
    std::swap(expr->kids[0], expr->kids[1]);
    std::swap(a, b);
  }
  if (expr->op == Op::Add && ((a->is_string() && b->is_integer()) || (a->is_integer() && b->is_string()))) {
    if (a->is_integer()) std::swap(expr->kids[0], expr->kids[1]);
    return make_call(*find_function("__tail"), cx.world.types.string_type(), expr->where, std::move(expr->kids[0]),
                     convert(cx, std::move(expr->kids[1]), cx.world.types.integer(8, false)));
  }
  if (!a->is_pointer() || !(b->is_integer() || (b->is_pointer() && expr->op == Op::Sub)))
    incompatible(cx, *expr, expr->text, *expr->kids[swapped], *expr->kids[!swapped]);
  uint64_t size = a->canonical->target->canonical->size;
  if (size == 0) incompatible(cx, *expr, expr->text, *expr->kids[0], *expr->kids[1]);
  const Type* word = cx.world.types.integer(8, true);
  if (b->is_pointer()) {
    if (a->canonical != b->canonical) incompatible(cx, *expr, expr->text, *expr->kids[0], *expr->kids[1]);
    ExprPtr bytes = make_binary(Op::Sub, make_cast(std::move(expr->kids[0]), word),
                                make_cast(std::move(expr->kids[1]), word), word, expr->where);
    return make_binary(Op::Div, std::move(bytes), make_integer(size, word, expr->where), word, expr->where);
  }
  ExprPtr offset = convert(cx, std::move(expr->kids[1]), word);
  if (size != 1)
    offset = make_binary(Op::Mul, std::move(offset), make_integer(size, word, expr->where), word, expr->where);
  return make_binary(expr->op, std::move(expr->kids[0]), std::move(offset), a, expr->where);
}

}  // namespace sonde
