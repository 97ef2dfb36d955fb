// SPDX-License-Identifier: GPL-3.0-or-later
// Assignments: =, op=, ++ and --
//
// The first assignment to an undeclared name makes the variable, with the type of the assigned value. So the right side
// is checked before the left, and check_target() gets the type that a new variable would have; null means that the
// variable must exist. ++ and -- make an int64_t; op= makes nothing.
#include "compiler/check/assignment.h"

#include "compiler/check/action.h"
#include "compiler/check/aggregation.h"
#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/inline.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/name.h"
#include "compiler/check/node.h"
#include "compiler/check/operand.h"
#include "compiler/check/place.h"
#include "compiler/check/stability.h"
#include "compiler/check/translator.h"
#include "compiler/check/variable.h"

namespace sonde {
namespace {

ExprPtr target_name(CheckContext& cx, ExprPtr expr, const Type* assigned, const std::string& op);
ExprPtr target_element(CheckContext& cx, ExprPtr expr, const Type* assigned, const std::string& op);

/// The type of a variable, or of the elements of an array, whose first assignment is `right`.
const Type* assigned_type(CheckContext& cx, const Expr& right, bool to_element, const std::string& op) {
  switch (right.type->canonical->kind) {
    case Type::Kind::Integer:
    case Type::Kind::Enum:
    case Type::Kind::Pointer:
    case Type::Kind::String:
    case Type::Kind::Struct:
    case Type::Kind::Union:
    case Type::Kind::Float: return right.type;
    case Type::Kind::Array:
    case Type::Kind::Function:
      cx.fail("D_OP_ARRFUN", right.where,
              "operator " + op + " may not be applied to operand of type \"" + right.type->name + "\"");
    case Type::Kind::Stack:
      if (to_element) return right.type;
      [[fallthrough]];
    case Type::Kind::Symbol:
      cx.fail("D_OP_INCOMPAT", right.where,
              "a " + std::string(right.type->canonical->kind == Type::Kind::Stack ? "stack" : "symbol") +
                  " cannot be stored in a variable",
              "use it as a key of an aggregation, or trace it; an element of an associative array may be a stack");
    case Type::Kind::Void:
    case Type::Kind::Dynamic:
    case Type::Kind::Aggregation:
    case Type::Kind::Any: break;
  }
  cx.fail("D_OP_INCOMPAT", right.where, "operator " + op + " cannot be applied to a value of type " + right.type->name);
}

/// Whether the place exists already, so that the assigned type does not make it.
bool is_known(CheckContext& cx, const Expr& place) {
  VariableDesc::Scope scope{};
  std::string name;
  const Expr& base = place.kind == ExprKind::Index ? *place.kids[0] : place;
  return symbol_of(cx, base, scope, name) != nullptr || name.empty();
}

/// Whether it is an element, or a thread's variable: assigning 0 frees its memory.
bool may_be_deleted(CheckContext& cx, const Expr& place) {
  return place.kind == ExprKind::ArrayElement ||
         (place.kind == ExprKind::Variable &&
          cx.world.program.variables[place.variable_index].scope == VariableDesc::Scope::Self);
}

[[noreturn]] void not_writable(CheckContext& cx, SourceRange where, const std::string& op) {
  const bool compares = op == "=" && cx.diagnostics.context() == "in predicate";
  cx.fail("D_OP_WRITE", where, "operator " + op + " can only be applied to a writable variable",
          compares ? "== compares"
                   : "only variables of the script can be assigned: use a name of its own, such as this->x");
}

/// Checks an lvalue. `assigned`: the type that a new variable gets; null if the variable must exist (op=).
ExprPtr check_target(CheckContext& cx, ExprPtr expr, const Type* assigned, const std::string& op) {
  VariableDesc::Scope scope{};
  SourceRange where = expr->where;
  if (expr->kind == ExprKind::Name) return target_name(cx, std::move(expr), assigned, op);
  if (is_scope(*expr, scope)) return scoped_variable(cx, std::move(expr), scope, assigned);
  if (expr->kind == ExprKind::Index) return target_element(cx, std::move(expr), assigned, op);
  expr = check_expression(cx, std::move(expr));
  if (expr->kind != ExprKind::Deref) {
    if (expr->kind == ExprKind::Builtin) not_writable(cx, where, op);
    cx.fail("D_OP_LVAL", where, "operator " + op + " requires modifiable lvalue as an operand");
  }
  return expr;
}

ExprPtr target_name(CheckContext& cx, ExprPtr expr, const Type* assigned, const std::string& op) {
  const std::string& name = expr->text;
  if (name == "self" || name == "this") check_name(cx, std::move(expr));  // reports the error
  if (name.starts_with('@'))
    cx.fail("D_OP_LVAL", expr->where, "operator " + op + " requires modifiable lvalue as an operand");
  if (parameter(cx, name))
    cx.fail("D_OP_LVAL", expr->where, "operator " + op + " requires modifiable lvalue as an operand");
  const Symbol* known = cx.world.global(name);
  if (!known) {
    if (cx.world.variable(name) || cx.world.aggregating_function(name)) not_writable(cx, expr->where, op);
    load_library_for(cx.world, name);
    known = cx.world.global(name);
  }
  if (known) {
    if (known->kind == Symbol::Kind::Array)
      cx.fail("D_IDENT_BADREF", expr->where, "associative array '" + name + "' may not be referenced as scalar",
              "give it an index: " + name + "[...]");
    if (known->kind != Symbol::Kind::Variable)
      cx.fail("D_OP_LVAL", expr->where, "operator " + op + " requires modifiable lvalue as an operand");
    note_name(cx, name, expr->where);
    return variable_of(*known, expr->where);
  }
  if (name.find('`') != std::string::npos)
    cx.fail("D_IDENT_UNDEF", expr->where, "failed to resolve " + name + ": No symbol information available");
  if (!assigned) cx.fail("D_VAR_UNDEF", expr->where, name + " has not yet been declared or assigned");
  return variable_of(declare_variable(cx, VariableDesc::Scope::Global, name, assigned), expr->where);
}

ExprPtr target_element(CheckContext& cx, ExprPtr expr, const Type* assigned, const std::string& op) {
  VariableDesc::Scope scope{};
  std::string name;
  const Symbol* symbol = symbol_of(cx, *expr->kids[0], scope, name);
  bool is_name = !name.empty() && !parameter(cx, name);
  if (is_name && !symbol && scope == VariableDesc::Scope::Global && cx.world.variable(name))
    not_writable(cx, expr->where, op);
  if (is_name && !symbol && !name.starts_with('@')) {
    if (scope == VariableDesc::Scope::This)
      cx.fail("D_ARR_LOCAL", expr->where, "local variables may not be used as associative arrays: " + name);
    std::vector<const Type*> keys;
    for (size_t i = 1; i < expr->kids.size(); ++i) {
      expr->kids[i] = check_expression(cx, std::move(expr->kids[i]));
      keys.push_back(key_type(cx, *expr->kids[i], "associative array", i));
    }
    if (!assigned) cx.fail("D_VAR_UNDEF", expr->where, name + " has not yet been declared or assigned");
    require_few_keys(cx, keys.size(), expr->where);
    symbol = &declare_array(cx, scope == VariableDesc::Scope::Self, name, std::move(keys), assigned);
  }
  if (symbol && symbol->kind == Symbol::Kind::Inline)
    cx.fail("D_OP_LVAL", expr->where, "operator " + op + " requires modifiable lvalue as an operand");
  return check_index(cx, std::move(expr));
}

}  // namespace

ExprPtr check_assign(CheckContext& cx, ExprPtr expr) {
  if (is_aggregation(*expr->kids[0]))
    cx.fail("D_CG_EXPR", expr->where,
            "aggregating actions may not be used in a D expression (D program context required)");
  ExprPtr right = check_expression(cx, std::move(expr->kids[1]));
  if (is_action_call(*right)) only_statements_act(cx, *right, false);
  bool translated = right->type->canonical->kind == Type::Kind::Dynamic && right->type->canonical->target->is_record();
  right = check_value(cx, translated ? translated_record(cx, std::move(right)) : std::move(right));
  const bool decays = right->type->canonical->kind == Type::Kind::Array && is_known(cx, *expr->kids[0]);
  const bool to_element = expr->kids[0]->kind == ExprKind::Index;
  ExprPtr left = check_target(cx, std::move(expr->kids[0]),
                              decays ? right->type : assigned_type(cx, *right, to_element, "="), "=");
  const Type* type = left->type;
  if (type->canonical->kind == Type::Kind::Array)
    cx.fail("D_OP_ARRFUN", expr->where, "operator = may not be applied to operand of type \"" + type->name + "\"");
  const bool deletes = type->is_record() && is_null(*right) && may_be_deleted(cx, *left);
  if (!deletes && !assignable(type, *right)) incompatible(cx, *expr, "=", *left, *right);
  expr->kids[0] = std::move(left);
  expr->kids[1] = convert(cx, std::move(right), type);
  expr->type = type;
  return expr;
}

ExprPtr check_update(CheckContext& cx, ExprPtr expr) {
  std::string op = expr->text;
  bool step = expr->kids.size() == 1;
  // ++ and -- make the variable that they name; op= does not.
  ExprPtr left = check_target(cx, std::move(expr->kids[0]), step ? cx.world.types.find("int64_t") : nullptr, op);
  ExprPtr right =
      step ? make_integer(1, cx.world.types.int_type(), expr->where) : decay(cx, operand(cx, std::move(expr->kids[1])));
  if (step) expr->kids.emplace_back();
  const Type* type = left->type;
  if (left->type->is_pointer()) {
    uint64_t size = type->canonical->target->canonical->size;
    if (expr->op != Op::Add && expr->op != Op::Sub)
      cx.fail("D_OP_INT", expr->where, "operator " + op + " requires operands of integral type");
    if (size == 0)
      cx.fail("D_OP_VFPTR", expr->where, "operator " + op + " requires left-hand scalar operand of known size");
    if (!right->type->is_integer()) incompatible(cx, *expr, op, *left, *right);
    const Type* word = cx.world.types.integer(8, true);
    right = make_binary(Op::Mul, convert(cx, std::move(right), word), make_integer(size, word, expr->where), word,
                        expr->where);
  } else if (type->is_integer() && right->type->is_pointer() && (expr->op == Op::Add || expr->op == Op::Sub)) {
    cx.fail("D_OP_VFPTR", expr->where, "operator " + op + " requires left-hand scalar operand of known size");
  } else if (!type->is_integer() || !right->type->is_integer()) {
    if (step) cx.fail("D_OP_SCALAR", expr->where, "operator " + op + " requires operand of scalar type");
    incompatible(cx, *expr, op, *left, *right);
  } else if (expr->op == Op::Div || expr->op == Op::Mod) {
    if (right->kind == ExprKind::Integer && right->integer == 0)
      cx.fail("D_DIV_ZERO", expr->where, "expression contains division by zero");
    bool narrow = left->bit_width != 0 && left->bit_width < 32;
    const Type* common = wider(narrow ? cx.world.types.int_type() : type, right->type);
    right = same_sign(cx, std::move(right), common->canonical->is_signed);
  }
  expr->kids[0] = std::move(left);
  expr->kids[1] = std::move(right);
  expr->type = type;
  return expr;
}

}  // namespace sonde
