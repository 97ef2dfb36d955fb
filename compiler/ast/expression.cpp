// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/ast/declarations.h"

namespace sonde {

ExprPtr clone(const Expr& expr) {
  auto copy = std::make_unique<Expr>();
  const ExprFacts& facts = expr;
  static_cast<ExprFacts&>(*copy) = facts;
  copy->kind = expr.kind;
  copy->arrow = expr.arrow;
  copy->type_name = expr.type_name;
  for (const ExprPtr& kid : expr.kids) copy->kids.push_back(clone(*kid));
  return copy;
}

std::vector<Statement> clone(const std::vector<Statement>& statements) {
  std::vector<Statement> copies;
  for (const Statement& one : statements)
    copies.push_back({one.kind, one.where, clone(*one.expression), clone(one.then_part), clone(one.else_part)});
  return copies;
}

}  // namespace sonde
