// SPDX-License-Identifier: GPL-3.0-or-later
// Predicates, statements, actions, aggregations
//
// A fault report shows the statement that faulted, by its number: 0 is the predicate, then all statements in the order
// of the text, including the assignments that the fire part makes. note_places() in compiler/describe.cpp counts in the
// same way; change both together.
#include <algorithm>

#include "compiler/codegen/codegen.h"

namespace sonde {
namespace {

/// Whether a subexpression stores a string.
bool stores_string_inside(const LoweredExpr& expr) {
  return std::ranges::any_of(expr.kids, [](const LoweredExprPtr& kid) {
    return (kid->kind == LoweredKind::Assign && kid->type->is_string()) || stores_string_inside(*kid);
  });
}

}  // namespace

void BodyCodegen::predicates() {
  for (const LoweredExpr* conjunct : clause_->body_predicates) {
    stores_strings_ = stores_string_inside(*conjunct);
    const BodyLabel passed = code_.label();
    code_.branch(value(*conjunct), passed, false_);
    code_.bind(passed);
  }
}

/// Stores the number of each statement in the context before its code.
void BodyCodegen::statements(const std::vector<LoweredStatement>& list) {
  for (const LoweredStatement& statement : list) {
    ++statement_;
    if (clause_->done_at_fire.contains(statement.expression.get())) continue;
    code_.store(code_.context(), offsetof(BodyContext, action), constant(statement_), sizeof(BodyContext::action));
    stores_strings_ = stores_string_inside(*statement.expression);
    if (statement.is_if)
      if_statement(statement);
    else
      value(*statement.expression);
  }
}

void BodyCodegen::if_statement(const LoweredStatement& statement) {
  const BodyLabel yes = code_.label(), no = code_.label(), end = code_.label();
  code_.branch(value(*statement.expression), yes, no);
  ++conditional_depth_;
  code_.bind(yes);
  statements(statement.then_part);
  code_.jump(end);
  code_.bind(no);
  statements(statement.else_part);
  --conditional_depth_;
  code_.bind(end);
}

/// kids: keys, then the value and the increment if the function has them.
void BodyCodegen::aggregate(const LoweredExpr& expr) {
  const std::vector<Value> all = values(expr, 0, expr.kids.size());
  const std::span<const Value> keys(all.data(), expr.key_count);
  const size_t rest = all.size() - expr.key_count;
  const Value amount = rest > 0 ? all[expr.key_count] : constant(1);
  const Value weight = rest > 1 ? all[expr.key_count + 1] : constant(1);
  checked_call("sonde_aggregate", {code_.context(), constant(expr.variable_index), code_.words(keys), amount, weight});
}

/// kids are the site's argv.
BodyCodegen::Value BodyCodegen::action(const LoweredExpr& expr) {
  const std::vector<Value> arguments = values(expr, 0, expr.kids.size());
  checked_call("sonde_act_" + std::string(expr.function->name),
               {code_.context(), code_.constant(&program_.sites[expr.site]), constant(arguments.size()),
                code_.words(arguments)});
  return constant(0);
}

}  // namespace sonde
