// SPDX-License-Identifier: GPL-3.0-or-later
// Constants are computed here, as the body would compute them: in 64 bits
//
// The same arithmetic is in kmod/shared/dif.c (fire part) and compiler/codegen/codegen_expressions.cpp (body), and all
// three must agree: a shift by more than 63 gives 0, INT64_MIN / -1 is INT64_MIN, and cut() is the only place where a
// value gets the width of its type. A constant divisor of 0 does not get here: arithmetic() refuses it.
#include "compiler/check/node.h"

#include <algorithm>
#include <optional>

namespace sonde {
namespace {

bool is_constant(const ExprPtr& expr) { return expr->kind == ExprKind::Integer && !expr->type->is_string(); }

/// Whether two texts are equal, if that does not depend on where strsize cuts them.
std::optional<bool> equal_texts(const Expr& a, const Expr& b) {
  if (a.kind != ExprKind::String || b.kind != ExprKind::String) return std::nullopt;
  if (a.text == b.text) return true;
  const auto first = [](const Expr& one) { return one.text.empty() ? '\0' : one.text[0]; };
  return first(a) != first(b) ? std::optional(false) : std::nullopt;
}

bool compare(Op op, uint64_t a, uint64_t b, bool is_signed) {
  auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  bool less = is_signed ? x < y : a < b;
  switch (op) {
    case Op::Eq: return a == b;
    case Op::Ne: return a != b;
    case Op::Lt: return less;
    case Op::Le: return less || a == b;
    case Op::Gt: return !less && a != b;
    default: return !less;
  }
}

uint64_t divide(Op op, uint64_t a, uint64_t b, bool is_signed) {
  bool quotient = op == Op::Div;
  if (!is_signed) return quotient ? a / b : a % b;
  if (b == UINT64_MAX) return quotient ? 0 - a : 0;  // INT64_MIN / -1 overflows
  auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(quotient ? x / y : x % y);
}

uint64_t shift(Op op, uint64_t a, uint64_t b, bool is_signed) {
  if (b > 63) return 0;
  if (op == Op::Shl) return a << b;
  return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(a) >> b) : a >> b;
}

uint64_t compute(Op op, uint64_t a, uint64_t b, bool is_signed) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::Div:
    case Op::Mod: return divide(op, a, b, is_signed);
    case Op::Shl:
    case Op::Shr: return shift(op, a, b, is_signed);
    default: return compare(op, a, b, is_signed);
  }
}

/// Whether its value alone counts: it changes nothing, and cannot fault.
bool may_be_left_out(const Expr& expr) {
  return !has_side_effects(expr) && expr.kind != ExprKind::Deref &&
         std::ranges::all_of(expr.kids, [](const ExprPtr& kid) { return may_be_left_out(*kid); });
}

bool is_truth_value(const Expr& expr) {
  const bool compares = expr.kind == ExprKind::Binary && expr.op >= Op::Eq && expr.op <= Op::Ge;
  return compares || expr.kind == ExprKind::Logical || (expr.kind == ExprKind::Unary && expr.op == Op::LogNot);
}

/// Of && and || with one constant operand, which stands at `at`. So a clause that an option of its script turns off, or a
/// predicate that one turns on, costs nothing.
ExprPtr fold_half(ExprPtr expr, size_t at) {
  const bool value = expr->kids[at]->integer != 0, decides = value == (expr->op == Op::LogOr);
  ExprPtr& other = expr->kids[1 - at];
  if (expr->op == Op::LogXor) return expr;
  if (decides)
    return at == 0 || may_be_left_out(*other) ? make_integer(value, expr->type, expr->where) : std::move(expr);
  return is_truth_value(*other) && other->type == expr->type ? std::move(other) : std::move(expr);
}

}  // namespace

uint64_t cut(uint64_t value, const Type* type) {
  const Type* real = type->canonical;
  if (real->name == "_Bool") return value != 0;
  if (real->size >= 8 || real->size == 0) return value;
  uint32_t unused = 64 - static_cast<uint32_t>(real->size) * 8;
  value <<= unused;
  return real->is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value) >> unused) : value >> unused;
}

bool has_side_effects(const Expr& expr) {
  if (expr.kind == ExprKind::Assign || expr.kind == ExprKind::Update || expr.kind == ExprKind::Call) return true;
  return std::ranges::any_of(expr.kids, [](const ExprPtr& kid) { return has_side_effects(*kid); });
}

ExprPtr fold(ExprPtr expr) {
  switch (expr->kind) {
    case ExprKind::Binary: {
      const bool asks_equal = expr->op == Op::Eq || expr->op == Op::Ne;
      if (const auto equal = asks_equal ? equal_texts(*expr->kids[0], *expr->kids[1]) : std::nullopt)
        return make_integer(*equal == (expr->op == Op::Eq), expr->type, expr->where);
      if (!is_constant(expr->kids[0]) || !is_constant(expr->kids[1])) return expr;
      bool compares = expr->op >= Op::Eq && expr->op <= Op::Ge;
      bool is_signed = (compares ? expr->kids[0]->type : expr->type)->canonical->is_signed;
      return make_integer(compute(expr->op, expr->kids[0]->integer, expr->kids[1]->integer, is_signed), expr->type,
                          expr->where);
    }
    case ExprKind::Unary: {
      if (!is_constant(expr->kids[0])) return expr;
      uint64_t value = expr->kids[0]->integer;
      return make_integer(expr->op == Op::Neg   ? 0 - value
                          : expr->op == Op::Not ? ~value
                                                : value == 0,
                          expr->type, expr->where);
    }
    case ExprKind::Logical: {
      const bool is_first = is_constant(expr->kids[0]), is_second = is_constant(expr->kids[1]);
      if (is_first != is_second) return fold_half(std::move(expr), is_first ? 0 : 1);
      if (!is_first) return expr;
      const bool left = expr->kids[0]->integer != 0, right = expr->kids[1]->integer != 0;
      if (expr->op == Op::LogAnd) return make_integer(left && right, expr->type, expr->where);
      if (expr->op == Op::LogOr) return make_integer(left || right, expr->type, expr->where);
      return make_integer(left != right, expr->type, expr->where);
    }
    case ExprKind::Cast: {
      if (!is_constant(expr->kids[0])) return expr;
      return make_integer(cut(expr->kids[0]->integer, expr->type), expr->type, expr->where);
    }
    default: return expr;
  }
}

}  // namespace sonde
