// SPDX-License-Identifier: GPL-3.0-or-later
// Binary operators, ?: and the comma: the type of a result
//
//   + - * / % & | ^    of numbers: the type of the larger one; of two of one size the unsigned one (wider())
//   << >>              the type of the left operand
//   == != < <= > >=    int; numbers are compared as C compares them (compares_signed())
//   ?:                 the type that both arms can have (common_arm())
//
// D does not promote to int: a char plus a char is a char. The exceptions are comparisons and bit-fields narrower than
// int.
#include "compiler/check/checker.h"

namespace sonde {

void Checker::incompatible(const Expr& expr, const std::string& op, const Expr& left, const Expr& right) {
  const bool aggregation = left.kind == ExprKind::AggregationRef || right.kind == ExprKind::AggregationRef;
  fail("D_OP_INCOMPAT", expr.where,
       "operands have incompatible types: \"" + left.type->name + "\" " + op + " \"" + right.type->name + "\"",
       aggregation ? "an aggregation is printed with printa()" : "");
}

/// The type of an arithmetic operation: that of the larger operand, of two of one size the unsigned one. Nothing becomes int.
const Type* Checker::wider(const Type* a, const Type* b) {
  const Type *x = a->canonical, *y = b->canonical;
  if (x->size != y->size) return x->size > y->size ? a : b;
  if (x->is_signed != y->is_signed) return x->is_signed ? b : a;
  return x->kind == Type::Kind::Enum ? b : a;
}

/// Numbers compare as in C: what is narrower than int as an int, of equal widths unsigned if one is.
bool Checker::compares_signed(const Type* a, const Type* b) {
  const Type* promoted = wider(a, b)->canonical;
  return promoted->size < 4 || promoted->is_signed;
}

/// A value that is computed with: a bit-field narrower than int is an int.
ExprPtr Checker::operand(ExprPtr expr) {
  expr = value(std::move(expr));
  bool narrow = expr->kind == ExprKind::Deref && expr->bit_width != 0 && expr->bit_width < 32;
  return narrow ? cast(std::move(expr), world_.types.int_type()) : std::move(expr);
}

/// Values stand extended in 64 bits, so a change of sign is a change of view.
ExprPtr Checker::same_sign(ExprPtr expr, bool is_signed) {
  if (expr->type->canonical->is_signed == is_signed && !expr->type->is_pointer()) return expr;
  if (expr->type->is_pointer() && !is_signed) return expr;
  return fold(cast(std::move(expr), world_.types.integer(8, is_signed)));
}

ExprPtr Checker::check_binary(ExprPtr expr) {
  for (ExprPtr& kid : expr->kids) kid = operand(std::move(kid));
  if (expr->op >= Op::Eq && expr->op <= Op::Ge) return comparison(std::move(expr));
  for (ExprPtr& kid : expr->kids) kid = decay(std::move(kid));
  if (expr->op == Op::Add || expr->op == Op::Sub) return additive(std::move(expr));
  return arithmetic(std::move(expr));
}

ExprPtr Checker::arithmetic(ExprPtr expr) {
  Expr &a = *expr->kids[0], &b = *expr->kids[1];
  if (!a.type->is_integer() || !b.type->is_integer()) {
    if (expr->op == Op::Mul || expr->op == Op::Div)
      fail("D_OP_ARITH", expr->where, "operator " + expr->text + " requires operands of arithmetic type");
    fail("D_OP_INT", expr->where, "operator " + expr->text + " requires operands of integral type");
  }
  bool shifts = expr->op == Op::Shl || expr->op == Op::Shr;
  const Type* type = shifts ? a.type : wider(a.type, b.type);
  if ((expr->op == Op::Div || expr->op == Op::Mod) && b.kind == ExprKind::Integer && b.integer == 0)
    fail("D_DIV_ZERO", expr->where, "expression contains division by zero");
  bool divides = expr->op == Op::Div || expr->op == Op::Mod;
  ExprPtr left = divides ? same_sign(std::move(expr->kids[0]), type->canonical->is_signed) : std::move(expr->kids[0]);
  ExprPtr right = divides ? same_sign(std::move(expr->kids[1]), type->canonical->is_signed) : std::move(expr->kids[1]);
  return binary(expr->op, std::move(left), std::move(right), type, expr->where);
}

/// + and -, of numbers and of pointers.
ExprPtr Checker::additive(ExprPtr expr) {
  const Type *a = expr->kids[0]->type, *b = expr->kids[1]->type;
  if (a->is_integer() && b->is_integer()) return arithmetic(std::move(expr));
  bool swapped = expr->op == Op::Add && a->is_integer() && b->is_pointer();
  if (swapped) {
    std::swap(expr->kids[0], expr->kids[1]);
    std::swap(a, b);
  }
  if (expr->op == Op::Add && ((a->is_string() && b->is_integer()) || (a->is_integer() && b->is_string()))) {
    if (a->is_integer()) std::swap(expr->kids[0], expr->kids[1]);
    ExprPtr tail = make(ExprKind::Call, world_.types.string_type(), expr->where);
    tail->function = find_function("__tail");
    tail->text = tail->function->name;
    tail->kids.push_back(std::move(expr->kids[0]));
    tail->kids.push_back(convert(std::move(expr->kids[1]), world_.types.integer(8, false)));
    return tail;
  }
  if (!a->is_pointer() || !(b->is_integer() || (b->is_pointer() && expr->op == Op::Sub)))
    incompatible(*expr, expr->text, *expr->kids[swapped], *expr->kids[!swapped]);
  uint64_t size = a->canonical->target->canonical->size;
  if (size == 0) incompatible(*expr, expr->text, *expr->kids[0], *expr->kids[1]);
  const Type* word = world_.types.integer(8, true);
  if (b->is_pointer()) {
    if (a->canonical != b->canonical) incompatible(*expr, expr->text, *expr->kids[0], *expr->kids[1]);
    ExprPtr bytes =
        binary(Op::Sub, cast(std::move(expr->kids[0]), word), cast(std::move(expr->kids[1]), word), word, expr->where);
    return binary(Op::Div, std::move(bytes), integer(size, word, expr->where), word, expr->where);
  }
  ExprPtr offset = convert(std::move(expr->kids[1]), word);
  if (size != 1) offset = binary(Op::Mul, std::move(offset), integer(size, word, expr->where), word, expr->where);
  return binary(expr->op, std::move(expr->kids[0]), std::move(offset), a, expr->where);
}

ExprPtr Checker::comparison(ExprPtr expr) {
  ExprPtr &a = expr->kids[0], &b = expr->kids[1];
  const Type* result = world_.types.int_type();
  if (a->type->is_integer() && b->type->is_integer()) {
    const bool is_signed = compares_signed(a->type, b->type);
    return binary(expr->op, same_sign(std::move(a), is_signed), same_sign(std::move(b), is_signed), result,
                  expr->where);
  }
  auto stringlike = [](const Expr& one) { return one.type->is_string() || is_char_pointer(one.type); };
  auto null = [](const Expr& one) { return is_null(one) && one.text == "NULL"; };
  if ((a->type->is_string() && (stringlike(*b) || null(*b))) ||
      (b->type->is_string() && (stringlike(*a) || null(*a)))) {
    const Type* string = world_.types.string_type();
    return binary(expr->op, convert(std::move(a), string), convert(std::move(b), string), result, expr->where);
  }
  a = decay(std::move(a));
  b = decay(std::move(b));
  bool pointers =
      (a->type->is_pointer() && assignable(a->type, *b)) || (b->type->is_pointer() && assignable(b->type, *a));
  if (!pointers) {
    if (a->type->is_string() != b->type->is_string() && (is_null(*a) || is_null(*b)))
      fail("D_OP_INCOMPAT", expr->where,
           "operands have incompatible types: \"" + a->type->name + "\" " + expr->text + " \"" + b->type->name + "\"",
           "a string is compared with NULL or \"\"");
    incompatible(*expr, expr->text, *a, *b);
  }
  return binary(expr->op, same_sign(std::move(a), false), same_sign(std::move(b), false), result, expr->where);
}

ExprPtr Checker::check_logical(ExprPtr expr) {
  std::string message = "operator " + expr->text + " requires operands of scalar type";
  for (ExprPtr& kid : expr->kids) kid = scalar(std::move(kid), "D_OP_SCALAR", message);
  expr->type = world_.types.int_type();
  return fold(std::move(expr));
}

/// The type both arms of ?: have, or null.
const Type* Checker::common_arm(Expr& a, Expr& b, const Expr& where) {
  if (a.type->is_integer() && b.type->is_integer()) return wider(a.type, b.type);
  if (a.type->is_string() && assignable(a.type, b)) return a.type;
  if (b.type->is_string() && assignable(b.type, a)) return b.type;
  const Type *x = a.type->canonical, *y = b.type->canonical;
  if (x->kind == Type::Kind::Pointer && assignable(a.type, b))
    return x->target->canonical->kind == Type::Kind::Void && y->kind == Type::Kind::Pointer ? b.type : a.type;
  if (y->kind == Type::Kind::Pointer && assignable(b.type, a)) return b.type;
  if (x == y && a.type->is_record()) return a.type;
  (void)where;
  return nullptr;
}

/// Where the condition is a constant, the arm that it chooses; the other is thrown away, whatever it says. Null: it is none.
ExprPtr Checker::only_arm(Expr& conditional) {
  const Expr& condition = *conditional.kids[0];
  if (condition.kind != ExprKind::Integer) return nullptr;
  return std::move(conditional.kids[condition.integer != 0 ? 1 : 2]);
}

ExprPtr Checker::check_conditional(ExprPtr expr) {
  expr->kids[0] = scalar(std::move(expr->kids[0]), "D_OP_SCALAR", "operator ?: expression must be of scalar type");
  if (ExprPtr arm = only_arm(*expr)) return rvalue(decay(operand(std::move(arm))));
  for (size_t i : {1, 2}) expr->kids[i] = decay(operand(std::move(expr->kids[i])));
  for (size_t i : {1, 2}) {
    if (is_action_call(*expr->kids[i]))
      fail("D_OP_ACT", expr->kids[i]->where, "action cannot be used in a conditional context",
           "?: with actions can only be a statement of its own");
  }
  const Type* type = common_arm(*expr->kids[1], *expr->kids[2], *expr);
  if (!type) incompatible(*expr, "?:", *expr->kids[1], *expr->kids[2]);
  for (size_t i : {1, 2}) expr->kids[i] = convert(std::move(expr->kids[i]), type);
  expr->type = type;
  return expr;
}

ExprPtr Checker::check_comma(ExprPtr expr) {
  for (ExprPtr& kid : expr->kids) kid = value(std::move(kid));
  expr->kids.back() = decay(std::move(expr->kids.back()));
  expr->type = expr->kids.back()->type;
  return expr;
}

}  // namespace sonde
