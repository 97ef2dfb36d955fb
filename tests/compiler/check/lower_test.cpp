// SPDX-License-Identifier: GPL-3.0-or-later
// From the typed tree to the lowered one.
#include "compiler/check/lower.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

ExprPtr node(ExprKind kind, std::string text = {}) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->text = std::move(text);
  return expr;
}

ClauseAst clause_of(ExprPtr expr) {
  ClauseAst clause;
  clause.statements.emplace_back();
  clause.statements.back().expression = std::move(expr);
  return clause;
}

TEST(Lower, KeepsWhatTheCheckerFound) {
  ExprPtr update = node(ExprKind::Update);
  update->op = Op::Add;
  update->postfix = true;
  update->where = {3, 9};
  update->kids.push_back(node(ExprKind::Deref));
  update->kids.push_back(node(ExprKind::String, "text"));
  update->kids[0]->bit_offset = 2;
  update->kids[0]->bit_width = 5;
  ClauseAst clause = clause_of(std::move(update));
  clause.predicate = node(ExprKind::Cast);
  clause.predicate->bound = 8;
  clause.needs = "eyes";
  clause.descriptions.push_back({"dtrace", "", "", "BEGIN", {}});

  LoweredClause lowered = lower(std::move(clause));
  EXPECT_EQ(lowered.needs, "eyes");
  EXPECT_EQ(lowered.descriptions.at(0).name, "BEGIN");
  EXPECT_EQ(lowered.predicate->bound, 8u);
  const LoweredExpr& out = *lowered.statements.at(0).expression;
  EXPECT_FALSE(lowered.statements[0].is_if);
  EXPECT_EQ(out.kind, LoweredKind::Update);
  EXPECT_EQ(out.op, Op::Add);
  EXPECT_TRUE(out.postfix);
  EXPECT_EQ(out.where.end, 9u);
  EXPECT_EQ(out.kids.at(0)->bit_offset, 2);
  EXPECT_EQ(out.kids[0]->bit_width, 5);
  EXPECT_EQ(out.kids.at(1)->text, "text");
}

TEST(Lower, KeepsBothPartsOfAnIf) {
  ClauseAst clause = clause_of(node(ExprKind::Integer));
  clause.statements[0].kind = Statement::Kind::If;
  clause.statements[0].then_part.emplace_back().expression = node(ExprKind::Comma);
  clause.statements[0].else_part.emplace_back().expression = node(ExprKind::Builtin);
  LoweredClause lowered = lower(std::move(clause));
  EXPECT_TRUE(lowered.statements.at(0).is_if);
  EXPECT_EQ(lowered.statements[0].then_part.at(0).expression->kind, LoweredKind::Comma);
  EXPECT_EQ(lowered.statements[0].else_part.at(0).expression->kind, LoweredKind::Builtin);
  EXPECT_EQ(lowered.predicate, nullptr);
}

TEST(LowerDeathTest, HasNoFormForWhatTheCheckerReplaces) {
  for (ExprKind kind : {ExprKind::Name, ExprKind::Member, ExprKind::Index, ExprKind::Xlate})
    EXPECT_DEATH(lower(clause_of(node(kind))), "a checked expression");
}

}  // namespace
}  // namespace sonde
