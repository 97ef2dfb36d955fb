// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/ast/declarations.h"

namespace sonde {

ExprPtr clone(const Expr& expr) {
  auto copy = std::make_unique<Expr>();
  copy->kind = expr.kind;
  copy->where = expr.where;
  copy->type = expr.type;
  copy->op = expr.op;
  copy->arrow = expr.arrow;
  copy->postfix = expr.postfix;
  copy->integer = expr.integer;
  copy->text = expr.text;
  copy->function = expr.function;
  copy->builtin = expr.builtin;
  copy->variable_index = expr.variable_index;
  copy->key_count = expr.key_count;
  copy->site = expr.site;
  copy->bit_offset = expr.bit_offset;
  copy->bit_width = expr.bit_width;
  copy->bound = expr.bound;
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
