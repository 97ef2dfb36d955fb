// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/passes/checker.h"
#include "compiler/source/suggest.h"

namespace sonde {

/// The row of what is called, or null.
const DFunction* Checker::function_of(const Expr& call, std::string& name) {
  if (call.kids[0]->kind != ExprKind::Name || call.kids[0]->type) return nullptr;
  name = call.kids[0]->text;
  return find_function(name);
}

void Checker::unknown_function(const std::string& name, SourceRange where) {
  bool is_variable = find_variable(name) || world_.names.globals.contains(name);
  if (is_variable) fail("D_FUNC_IDKIND", where, "'" + name + "' is not a function");
  Suggestion suggestion(name);
  for (const DFunction& row : kFunctions) suggestion.offer(row.name);
  for (const AggFunctionRow& row : kAggFunctions) suggestion.offer(row.name);
  fail("D_FUNC_UNDEF", where, "undefined function name: " + name, suggestion.hint());
}

ExprPtr Checker::check_call(ExprPtr expr) {
  if (expr->kids[0]->kind != ExprKind::Name)
    fail("D_FUNC_IDENT", expr->where, "function designator is not of function type");
  std::string name;
  const DFunction* row = function_of(*expr, name);
  if (!row && find_aggregating_function(name))
    fail("D_CG_EXPR", expr->where,
         "aggregating function " + name + "( ) may not be called from a D expression (D program context required)",
         "write @name[keys] = " + name + "(...)");
  if (!row) unknown_function(name, expr->kids[0]->where);
  switch (row->runs) {
    case Runs::Refused: fail("D_UNKNOWN", expr->where, std::string(row->doc));
    case Runs::Action:
    case Runs::Record:
    case Runs::Destructive:
      fail("D_CG_EXPR", expr->where, name + "( ) may not be called from a D expression (D program context required)");
    case Runs::Fire:
    case Runs::Body: break;
  }
  const Prototype& prototype = world_.prototype(row->prototype);
  if (prototype.result->canonical->kind == Type::Kind::Stack) return check_ustack(std::move(expr), *row);
  check_count(name, prototype, expr->kids.size() - 1, expr->where);
  check_arguments(name, prototype, *expr);
  ExprPtr out = make(ExprKind::Call, prototype.result, here(expr->where));
  out->function = row;
  out->text = name;
  for (size_t i = 1; i < expr->kids.size(); ++i) out->kids.push_back(std::move(expr->kids[i]));
  return out;
}

void Checker::check_count(const std::string& name, const Prototype& prototype, size_t passed, SourceRange where) {
  size_t required = prototype.required, most = prototype.parameters.size();
  bool few = passed<required, many = passed> most && !prototype.varargs;
  if (!few && !many) return;
  std::string bound = required == most && !prototype.varargs ? "" : few ? "at least " : "at most ";
  fail("D_PROTO_LEN", where,
       name + "( ) prototype mismatch: " + std::to_string(passed) + (passed == 1 ? " arg" : " args") + " passed, " +
           bound + std::to_string(few ? required : most) + " expected");
}

void Checker::argument_mismatch(const std::string& name, size_t number, const std::string& prototype,
                                const Expr& argument, std::string_view tag) {
  std::string type = argument.type ? argument.type->name : "aggregation";
  fail(tag, argument.where,
       name + "( ) argument #" + std::to_string(number) +
           " is incompatible with prototype:\n\tprototype: " + prototype + "\n\t argument: " + type);
}

ExprPtr Checker::passed(const std::string& name, ExprPtr argument, const Type* parameter, size_t number) {
  argument = check(std::move(argument));
  const Type *a = parameter->canonical, *b = argument->type->canonical;
  bool word = (parameter->is_integer() && a->size == 8 && argument->type->is_pointer()) ||
              (parameter->is_integer() && a->size == 8 && b->kind == Type::Kind::Array);
  bool memory =
      a->kind == Type::Kind::Pointer && a->target->canonical->kind == Type::Kind::Void && b->kind == Type::Kind::String;
  if (!assignable(parameter, *argument) && !word && !memory)
    argument_mismatch(name, number, parameter->name, *argument);
  return convert(std::move(argument), parameter);
}

/// kids[0] is the function's name.
void Checker::check_arguments(const std::string& name, const Prototype& prototype, Expr& expr, size_t first) {
  for (size_t i = 1 + first; i < expr.kids.size() && i <= prototype.parameters.size(); ++i)
    expr.kids[i] = passed(name, std::move(expr.kids[i]), prototype.parameters[i - 1], i);
}

/// ustack([frames [, size of strings]]): its kids are always two constants.
ExprPtr Checker::check_ustack(ExprPtr expr, const DFunction& row) {
  std::string name(row.name);
  if (expr->kids.size() > 3)
    fail(
        "D_USTACK_PROTO", expr->where,
        name + "( ) prototype mismatch: " + std::to_string(expr->kids.size() - 1) + " args passed, at most 2 expected");
  const Type* type = world_.types.integer(4, false);
  ExprPtr out = make(ExprKind::Call, world_.types.stack_type(), here(expr->where));
  out->function = &row;
  out->text = name;
  out->kids.push_back(integer(world_.options.number("ustackframes"), type, expr->where));
  out->kids.push_back(integer(0, type, expr->where));
  for (size_t i = 1; i < expr->kids.size(); ++i) {
    SourceRange where = expr->kids[i]->where;
    ExprPtr size = constant(std::move(expr->kids[i]));
    bool valid = size && static_cast<int64_t>(size->integer) >= (i == 1 ? 1 : 0) && size->integer <= INT32_MAX;
    if (!valid && i == 1)
      fail("D_USTACK_FRAMES", where, name + "( ) argument #1 must be a non-zero positive integer constant");
    if (!valid) fail("D_USTACK_STRSIZE", where, name + "( ) argument #2 must be a positive integer constant");
    out->kids[i - 1] = integer(size->integer, type, where);
  }
  return out;
}

}  // namespace sonde
