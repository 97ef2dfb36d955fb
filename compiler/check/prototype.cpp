// SPDX-License-Identifier: GPL-3.0-or-later
// Checks arguments against a prototype: a text in a row of runtime/lang/functions.h or runtime/agg/functions.h.
#include "compiler/check/prototype.h"

#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "runtime/agg/functions.h"
#include "runtime/lang/functions.h"

namespace sonde {
namespace {

/// "write index(string, string, [int])"; empty: no row has it.
std::string form_of(const std::string& name) {
  const DFunction* function = find_function(name);
  const AggFunctionRow* aggregates = find_aggregating_function(name);
  if (function == nullptr && aggregates == nullptr) return {};
  const std::string_view prototype = function != nullptr ? function->prototype : aggregates->prototype;
  std::string form(prototype.substr(prototype.find('(')));
  for (const auto& [sign, word] : {std::pair("@@", "VALUE"), std::pair("@", "@NAME")})
    for (size_t at; (at = form.find(sign)) != form.npos && form.compare(at, 5, "@NAME") != 0;)
      form.replace(at, std::string_view(sign).size(), word);
  return (aggregates != nullptr ? "write @name = " : "write ") + name + form;
}

/// How a value of the wrong kind becomes one of the right kind.
std::string converted_by(const Type* wanted, const Type* given) {
  if (wanted->is_string() && given->is_integer())
    return "copyinstr() reads the string at an address of the program, lltostr() writes a number";
  return {};
}

}  // namespace

void check_count(CheckContext& cx, const std::string& name, const Prototype& prototype, size_t passed,
                 SourceRange where) {
  size_t required = prototype.required, most = prototype.parameters.size();
  bool few = passed<required, many = passed> most && !prototype.varargs;
  if (!few && !many) return;
  std::string bound = required == most && !prototype.varargs ? "" : few ? "at least " : "at most ";
  cx.fail("D_PROTO_LEN", where,
          name + "( ) prototype mismatch: " + std::to_string(passed) + (passed == 1 ? " arg" : " args") + " passed, " +
              bound + std::to_string(few ? required : most) + " expected",
          form_of(name));
}

void argument_mismatch(CheckContext& cx, const std::string& name, size_t number, const std::string& prototype,
                       const Expr& argument, std::string_view brackets, const std::string& hint) {
  cx.fail("D_PROTO_ARG", argument.where,
          name + std::string(brackets) + " argument #" + std::to_string(number) +
              " is incompatible with prototype:\n\tprototype: " + prototype + "\n\t argument: " + argument.type->name,
          hint);
}

ExprPtr check_passed(CheckContext& cx, const std::string& name, ExprPtr argument, const Type* parameter,
                     size_t number) {
  argument = check_expression(cx, std::move(argument));
  const Type *a = parameter->canonical, *b = argument->type->canonical;
  bool word = (parameter->is_integer() && a->size == 8 && argument->type->is_pointer()) ||
              (parameter->is_integer() && a->size == 8 && b->kind == Type::Kind::Array);
  bool memory =
      a->kind == Type::Kind::Pointer && a->target->canonical->kind == Type::Kind::Void && b->kind == Type::Kind::String;
  if (!assignable(parameter, *argument) && !word && !memory)
    argument_mismatch(cx, name, number, parameter->name, *argument, "( )", converted_by(parameter, argument->type));
  return convert(cx, std::move(argument), parameter);
}

void check_arguments(CheckContext& cx, const std::string& name, const Prototype& prototype, Expr& expr, size_t first) {
  for (size_t i = 1 + first; i < expr.kids.size() && i <= prototype.parameters.size(); ++i) {
    expr.kids[i] = check_passed(cx, name, std::move(expr.kids[i]), prototype.parameters[i - 1], i);
    if (prototype.constant[i - 1] && expr.kids[i]->kind != ExprKind::Integer)
      argument_mismatch(cx, name, i, prototype.parameters[i - 1]->name + " constant", *expr.kids[i]);
  }
}

}  // namespace sonde
