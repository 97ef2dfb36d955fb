// SPDX-License-Identifier: GPL-3.0-or-later
// Inlines: expressions that are copied to each place of use, and checked there
//
// An expression with a type counts as checked (expression.cpp), so a parameter is replaced by a copy of the checked
// argument at each of its uses. An argument with side effects would have them more than once, and is refused. Errors
// inside are reported at the place of use, because the message cannot show the definition. A definition is also checked
// on its own, with stand-ins for its parameters, so that its own errors are reported there. Translators work in the
// same way.
#include "compiler/check/inline.h"

#include <utility>

#include "compiler/check/convert.h"
#include "compiler/check/declaration.h"
#include "compiler/check/expression.h"
#include "compiler/check/node.h"
#include "compiler/check/type.h"
#include "runtime/base/find.h"

namespace sonde {
namespace {

constexpr size_t kMostExpansions = 32;  ///< inlines inside inlines

uint64_t nodes(const Expr& expr) {
  uint64_t count = 1;
  for (const ExprPtr& kid : expr.kids) count += nodes(*kid);
  return count;
}

}  // namespace

const Expr* parameter(CheckContext& cx, std::string_view name) {
  const auto* value = cx.expansions.empty() ? nullptr : find_in(cx.expansions.back().values, name);
  return value ? *value : nullptr;
}

void check_inline(CheckContext& cx, InlineSyntax& syntax) {
  const Declarator& declarator = syntax.declarator;
  if (!syntax.specifiers.storage.empty())
    cx.fail("D_DECL_BADCLASS", syntax.where, "specified storage class not appropriate in D");
  require_unscoped(cx, declarator.name, declarator.where);
  auto definition = std::make_shared<InlineDefinition>();
  bool tuple = !declarator.derivations.empty() && declarator.derivations[0].kind == Derivation::Kind::Tuple;
  definition->type = derived_type(cx, specified_type(cx, syntax.specifiers), declarator, tuple ? 1 : 0);
  if (const Symbol* known = find_in(cx.world.names.globals, declarator.name); known && known->type)
    cx.fail("D_DECL_IDRED", declarator.where,
            "identifier redeclared: " + declarator.name + "\n\t current: " + definition->type->name +
                "\n\tprevious: " + known->type->name);
  require_new(cx, declarator.name, declarator.where);
  if (tuple) definition->parameter_types = parameter_types(cx, declarator.derivations[0], &definition->parameters);
  for (const std::string& name : definition->parameters)
    if (name.empty())
      cx.fail("D_DECL_PROTO_FORM", declarator.where, "inline definition requires named parameters: " + declarator.name);
  definition->value = std::move(syntax.value);
  Symbol symbol;
  symbol.kind = Symbol::Kind::Inline;
  symbol.type = definition->type;
  symbol.definition = definition;
  if (!cx.library || cx.world.checks_definitions) {
    std::vector<ExprPtr> arguments;
    for (const Type* type : definition->parameter_types)
      arguments.push_back(stand_in(cx, type, definition->value->where));
    expand_inline(cx, symbol, declarator.name, std::move(arguments), definition->value->where);
  }
  cx.world.names.globals[declarator.name] = symbol;
}

ExprPtr expanded(CheckContext& cx, const Expr& expr, SourceRange where) {
  cx.expanded_nodes += nodes(expr);
  bool too_much = cx.expanded_nodes > 200'000 + 20 * cx.source.text.size();
  if (too_much && std::exchange(cx.overgrown, true)) throw Refused{};  // already reported
  if (too_much)
    cx.fail("D_UNKNOWN", where, "inlines expand to too much", "assign a part of it to a variable, and use that");
  return clone(expr);
}

ExprPtr stand_in(CheckContext& cx, const Type* type, SourceRange where) {
  bool memory = type->is_record() || type->canonical->kind == Type::Kind::Array;
  return make_expr(memory ? ExprKind::Deref : ExprKind::Cast, type, where,
                   make_integer(0, memory ? cx.world.types.pointer_to(type) : type, where));
}

ExprPtr with_parameters(CheckContext& cx, const Expr& body, Expansion parameters) {
  if (cx.expansions.size() > kMostExpansions) cx.fail("D_UNKNOWN", parameters.where, "inlines are nested too deeply");
  if (!cx.expansions.empty()) parameters.where = cx.expansions.front().where;
  cx.expansions.push_back(std::move(parameters));
  struct Pop {
    std::vector<Expansion>& stack;
    ~Pop() { stack.pop_back(); }
  } pop{cx.expansions};
  ExprPtr value = check_expression(cx, expanded(cx, body, cx.expansions.back().where));
  value->where = cx.expansions.back().where;  // errors point at the use
  return value;
}

ExprPtr expand_inline(CheckContext& cx, const Symbol& symbol, const std::string& name, std::vector<ExprPtr> arguments,
                      SourceRange where) {
  const InlineDefinition& definition = *symbol.definition;
  if (arguments.size() != definition.parameters.size())
    cx.fail("D_PROTO_LEN", where,
            name + "[ ] prototype mismatch: " + std::to_string(arguments.size()) +
                (arguments.size() == 1 ? " key" : " keys") + " passed, " +
                std::to_string(definition.parameters.size()) + " expected");
  Expansion parameters;
  parameters.where = where;
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = check_expression(cx, std::move(arguments[i]));
    const Type* type = definition.parameter_types[i];
    if (!assignable(type, *arguments[i]))
      cx.fail("D_PROTO_ARG", arguments[i]->where,
              name + "[ ] key #" + std::to_string(i + 1) + " is incompatible with prototype:\n\tprototype: " +
                  type->name + "\n\t      key: " + arguments[i]->type->name);
    if (has_side_effects(*arguments[i]) && arguments[i]->kind != ExprKind::Call)
      cx.fail("D_UNKNOWN", arguments[i]->where,
              "an argument of the inline " + name + " may not have side effects: assign it to a variable first");
    arguments[i] = convert(cx, std::move(arguments[i]), type);
    parameters.values[definition.parameters[i]] = arguments[i].get();
  }
  ExprPtr value = with_parameters(cx, *definition.value, std::move(parameters));
  const Type* type = definition.type;
  if (value->type->canonical->kind == Type::Kind::Dynamic) return value;
  if (!assignable(type, *value))
    cx.fail("D_OP_INCOMPAT", where,
            "inline " + name + " definition uses incompatible types: \"" + type->name + "\" = \"" + value->type->name +
                "\"");
  value = convert(cx, std::move(value), type);
  if (value->type != type && value->type->canonical == type->canonical) {  // keeps the typedef's name for messages
    if (value->kind == ExprKind::Integer || value->kind == ExprKind::Cast) value->type = type;
  }
  return value;
}

}  // namespace sonde
