// SPDX-License-Identifier: GPL-3.0-or-later
// Operators: the type of a result
//
//   == != < <= > >=    int; numbers are compared as C compares them (compares_signed())
//   ?:                 the type that both arms can have (common_arm())
//   + - ... >>         see operand.cpp
#include "compiler/check/operator.h"

#include "compiler/check/action.h"
#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/name.h"
#include "compiler/check/node.h"
#include "compiler/check/operand.h"

namespace sonde {
namespace {

ExprPtr comparison(CheckContext& cx, ExprPtr expr);

ExprPtr check_unary(CheckContext& cx, ExprPtr expr) {
  if (expr->op == Op::LogNot) {
    expr->kids[0] =
        check_scalar(cx, std::move(expr->kids[0]), "D_OP_SCALAR", "operator ! requires an operand of scalar type");
    expr->type = cx.world.types.int_type();
    return fold(std::move(expr));
  }
  expr->kids[0] = operand(cx, std::move(expr->kids[0]));
  if (!expr->kids[0]->type->is_integer()) {
    if (expr->op == Op::Not) cx.fail("D_OP_INT", expr->where, "operator ~ requires an operand of integral type");
    cx.fail("D_OP_ARITH", expr->where, "operator " + expr->text + " requires an operand of arithmetic type");
  }
  expr->type = expr->kids[0]->type;
  if (expr->op == Op::Plus) {
    ExprPtr kid = rvalue(std::move(expr->kids[0]));
    return kid->type == expr->type ? std::move(kid) : convert(cx, std::move(kid), expr->type);
  }
  return fold(std::move(expr));
}

ExprPtr check_deref(CheckContext& cx, ExprPtr expr) {
  expr->kids[0] = decay(cx, check_value(cx, std::move(expr->kids[0])));
  const Type* pointer = expr->kids[0]->type->canonical;
  if (pointer->kind == Type::Kind::String) {  // its bytes
    expr->kids[0] = make_cast(std::move(expr->kids[0]), cx.world.types.pointer_to(cx.world.types.integer(1, true)));
    pointer = expr->kids[0]->type;
  }
  if (pointer->kind != Type::Kind::Pointer)
    cx.fail("D_DEREF_NONPTR", expr->where, "cannot dereference non-pointer type",
            pointer->is_integer() ? "memory of the program is read by copyin(): *(int *)copyin(address, 4)" : "");
  Type::Kind kind = pointer->target->canonical->kind;
  if (kind == Type::Kind::Void)
    cx.fail("D_DEREF_VOID", expr->where, "cannot dereference pointer to void",
            "cast it to a pointer to what it points to");
  if (kind == Type::Kind::Function) cx.fail("D_DEREF_FUNC", expr->where, "cannot dereference pointer to function");
  if (!cx.world.foreign.complete(pointer->target))
    cx.fail("D_OP_INCOMPLETE", expr->where,
            "operator * cannot be applied to a forward declaration: no " + pointer->target->name +
                " definition is available",
            cx.world.foreign.advice(pointer->target->name));
  expr->type = expr->kids[0]->type->canonical->target;
  note_kernel(cx, *expr->kids[0]);
  return expr;
}

ExprPtr check_address(CheckContext& cx, ExprPtr expr) {
  ExprPtr operand = check_value(cx, std::move(expr->kids[0]));
  if (operand->kind == ExprKind::Deref) {
    if (operand->bit_width) cx.fail("D_ADDROF_BITFIELD", expr->where, "cannot take address of bit-field");
    const Expr* base = operand->kids[0].get();
    while (base->kind == ExprKind::Binary || base->kind == ExprKind::Cast) base = base->kids[0].get();
    const bool of_variable = base->kind == ExprKind::AddressOf && base->kids[0]->type->is_record();
    if (of_variable) cx.fail("D_ADDROF_VAR", expr->where, "cannot take address of dynamic variable");
    return fold(make_cast(std::move(operand->kids[0]), cx.world.types.pointer_to(operand->type)));
  }
  if (operand->kind == ExprKind::Variable || operand->kind == ExprKind::ArrayElement ||
      operand->kind == ExprKind::Builtin || operand->kind == ExprKind::AddressOf ||
      operand->kind == ExprKind::AggregationRef)
    cx.fail("D_ADDROF_VAR", expr->where, "cannot take address of dynamic variable");
  cx.fail("D_ADDROF_LVAL", expr->where, "unacceptable operand for unary & operator");
}

/// Numbers compare as in C: types narrower than int as int; equal widths unsigned if one is.
bool compares_signed(const Type* a, const Type* b) {
  const Type* promoted = wider(a, b)->canonical;
  return promoted->size < 4 || promoted->is_signed;
}

ExprPtr check_binary(CheckContext& cx, ExprPtr expr) {
  for (ExprPtr& kid : expr->kids) kid = operand(cx, std::move(kid));
  if (expr->op >= Op::Eq && expr->op <= Op::Ge) return comparison(cx, std::move(expr));
  for (ExprPtr& kid : expr->kids) kid = decay(cx, std::move(kid));
  if (expr->op == Op::Add || expr->op == Op::Sub) return additive(cx, std::move(expr));
  return arithmetic(cx, std::move(expr));
}

ExprPtr comparison(CheckContext& cx, ExprPtr expr) {
  ExprPtr &a = expr->kids[0], &b = expr->kids[1];
  const Type* result = cx.world.types.int_type();
  if (a->type->is_integer() && b->type->is_integer()) {
    const bool is_signed = compares_signed(a->type, b->type);
    return make_binary(expr->op, same_sign(cx, std::move(a), is_signed), same_sign(cx, std::move(b), is_signed), result,
                       expr->where);
  }
  auto stringlike = [](const Expr& one) { return one.type->is_string() || is_char_pointer(one.type); };
  auto null = [](const Expr& one) { return is_null(one) && one.text == "NULL"; };
  if ((a->type->is_string() && (stringlike(*b) || null(*b))) ||
      (b->type->is_string() && (stringlike(*a) || null(*a)))) {
    const Type* string = cx.world.types.string_type();
    return make_binary(expr->op, convert(cx, std::move(a), string), convert(cx, std::move(b), string), result,
                       expr->where);
  }
  a = decay(cx, std::move(a));
  b = decay(cx, std::move(b));
  bool pointers =
      (a->type->is_pointer() && assignable(a->type, *b)) || (b->type->is_pointer() && assignable(b->type, *a));
  if (!pointers) {
    if (a->type->is_string() != b->type->is_string() && (is_null(*a) || is_null(*b)))
      cx.fail(
          "D_OP_INCOMPAT", expr->where,
          "operands have incompatible types: \"" + a->type->name + "\" " + expr->text + " \"" + b->type->name + "\"",
          "a string is compared with NULL or \"\"");
    incompatible(cx, *expr, expr->text, *a, *b);
  }
  return make_binary(expr->op, same_sign(cx, std::move(a), false), same_sign(cx, std::move(b), false), result,
                     expr->where);
}

ExprPtr check_logical(CheckContext& cx, ExprPtr expr) {
  std::string message = "operator " + expr->text + " requires operands of scalar type";
  for (ExprPtr& kid : expr->kids) kid = check_scalar(cx, std::move(kid), "D_OP_SCALAR", message);
  expr->type = cx.world.types.int_type();
  return fold(std::move(expr));
}

/// The type both arms of ?: have, or null.
const Type* common_arm(const Expr& a, const Expr& b) {
  if (a.type->is_integer() && b.type->is_integer()) return wider(a.type, b.type);
  if (a.type->is_string() && assignable(a.type, b)) return a.type;
  if (b.type->is_string() && assignable(b.type, a)) return b.type;
  const Type *x = a.type->canonical, *y = b.type->canonical;
  if (x->kind == Type::Kind::Pointer && assignable(a.type, b))
    return x->target->canonical->kind == Type::Kind::Void && y->kind == Type::Kind::Pointer ? b.type : a.type;
  if (y->kind == Type::Kind::Pointer && assignable(b.type, a)) return b.type;
  if (x == y && a.type->is_record()) return a.type;
  return nullptr;
}

ExprPtr check_conditional(CheckContext& cx, ExprPtr expr) {
  expr->kids[0] =
      check_scalar(cx, std::move(expr->kids[0]), "D_OP_SCALAR", "operator ?: expression must be of scalar type");
  if (ExprPtr arm = only_arm(*expr)) return rvalue(decay(cx, operand(cx, std::move(arm))));
  for (size_t i : {1, 2}) expr->kids[i] = decay(cx, operand(cx, std::move(expr->kids[i])));
  for (size_t i : {1, 2}) {
    if (is_action_call(*expr->kids[i]))
      cx.fail("D_OP_ACT", expr->kids[i]->where, "action cannot be used in a conditional context",
              "?: with actions can only be a statement of its own");
  }
  const Type* type = common_arm(*expr->kids[1], *expr->kids[2]);
  if (!type) incompatible(cx, *expr, "?:", *expr->kids[1], *expr->kids[2]);
  for (size_t i : {1, 2}) expr->kids[i] = convert(cx, std::move(expr->kids[i]), type);
  expr->type = type;
  return expr;
}

ExprPtr check_comma(CheckContext& cx, ExprPtr expr) {
  for (ExprPtr& kid : expr->kids) kid = check_value(cx, std::move(kid));
  expr->kids.back() = decay(cx, std::move(expr->kids.back()));
  expr->type = expr->kids.back()->type;
  return expr;
}

}  // namespace

ExprPtr only_arm(Expr& conditional) {
  const Expr& condition = *conditional.kids[0];
  if (condition.kind != ExprKind::Integer) return nullptr;
  return std::move(conditional.kids[condition.integer != 0 ? 1 : 2]);
}

ExprPtr check_operator(CheckContext& cx, ExprPtr expr) {
  switch (expr->kind) {
    case ExprKind::Unary: return check_unary(cx, std::move(expr));
    case ExprKind::Binary: return check_binary(cx, std::move(expr));
    case ExprKind::Logical: return check_logical(cx, std::move(expr));
    case ExprKind::Conditional: return check_conditional(cx, std::move(expr));
    case ExprKind::Deref: return check_deref(cx, std::move(expr));
    case ExprKind::AddressOf: return check_address(cx, std::move(expr));
    default: return check_comma(cx, std::move(expr));
  }
}

}  // namespace sonde
