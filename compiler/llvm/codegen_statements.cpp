// SPDX-License-Identifier: GPL-3.0-or-later
// Predicates, statements, actions, aggregations
//
// A fault report shows the statement that faulted, by its number: 0 is the predicate, then all statements in the order
// of the text, including the assignments that the fire part makes. note_places() in compiler/describe.cpp counts in the
// same way; change both together.
#include <algorithm>

#include "compiler/llvm/codegen.h"

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
    llvm::BasicBlock* passed = block("passed");
    ir_.CreateCondBr(truth(*conjunct), passed, false_);
    ir_.SetInsertPoint(passed);
  }
}

/// Stores the number of each statement in the context before its code.
void BodyCodegen::statements(const std::vector<LoweredStatement>& list) {
  for (const LoweredStatement& statement : list) {
    ++statement_;
    if (clause_->done_at_fire.contains(statement.expression.get())) continue;
    ir_.CreateStore(constant(statement_), at_offset(context_, offsetof(BodyContext, action)));
    stores_strings_ = stores_string_inside(*statement.expression);
    if (statement.is_if)
      if_statement(statement);
    else
      value(*statement.expression);
  }
}

void BodyCodegen::if_statement(const LoweredStatement& statement) {
  llvm::BasicBlock *yes = block("then"), *no = block("else"), *end = block("endif");
  ir_.CreateCondBr(truth(*statement.expression), yes, no);
  ++conditional_depth_;
  ir_.SetInsertPoint(yes);
  statements(statement.then_part);
  ir_.CreateBr(end);
  ir_.SetInsertPoint(no);
  statements(statement.else_part);
  ir_.CreateBr(end);
  --conditional_depth_;
  ir_.SetInsertPoint(end);
}

/// kids: keys, then the value and the increment if the function has them.
void BodyCodegen::aggregate(const LoweredExpr& expr) {
  std::vector<Value> all = values(expr, 0, expr.kids.size());
  std::vector<Value> keys(all.begin(), all.begin() + expr.key_count);
  size_t rest = all.size() - expr.key_count;
  Value amount = rest > 0 ? all[expr.key_count] : constant(1);
  Value weight = rest > 1 ? all[expr.key_count + 1] : constant(1);
  call("sonde_aggregate", ir_.getVoidTy(), {context_, ir_.getInt32(expr.variable_index), words(keys), amount, weight});
  leave_on_fault();
}

/// kids are the site's argv.
BodyCodegen::Value BodyCodegen::action(const LoweredExpr& expr) {
  std::vector<Value> arguments = values(expr, 0, expr.kids.size());
  Value site = pointer(address_of(&program_.sites[expr.site]));
  call("sonde_act_" + std::string(expr.function->name), ir_.getVoidTy(),
       {context_, site, ir_.getInt32(static_cast<uint32_t>(arguments.size())), words(arguments)});
  leave_on_fault();
  return constant(0);
}

}  // namespace sonde
