// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations and clauses, in the order of the text
//
// The statements of a clause are checked before its predicate, because the predicate may use a variable that only they
// assign. If they use something that only the predicate defines, the order is reversed. For that, a clause with a
// predicate costs a copy of its statements.
#include "compiler/check/clause.h"

#include <algorithm>

#include "compiler/check/action.h"
#include "compiler/check/aggregation.h"
#include "compiler/check/call.h"
#include "compiler/check/declaration.h"
#include "compiler/check/expression.h"
#include "compiler/check/inline.h"
#include "compiler/check/operator.h"
#include "compiler/check/probes.h"
#include "compiler/check/provider.h"
#include "compiler/check/speculation.h"
#include "compiler/check/stability.h"
#include "compiler/check/translator.h"

namespace sonde {
namespace {

bool check_body_first(CheckContext& cx, ClauseAst& clause);
void check_predicate(CheckContext& cx, ClauseAst& clause);
void check_statements(CheckContext& cx, std::vector<Statement>& list);
void check_statement(CheckContext& cx, Statement& statement);
ExprPtr check_statement_expression(CheckContext& cx, ExprPtr expr);
ExprPtr check_statement_call(CheckContext& cx, ExprPtr expr);
ExprPtr check_statement_arms(CheckContext& cx, ExprPtr expr);

void check_clause(CheckContext& cx, ClauseAst& clause) {
  cx.clause = &clause;
  cx.needs_kernel.clear();
  resolve_probes(cx, clause);
  cx.guarded([&] { note_probes(cx, clause); });
  cx.guarded([&] { resolve_told_probes(cx, clause); });
  const size_t before = cx.diagnostics.list().size();
  const bool body_is_checked = clause.predicate && check_body_first(cx, clause);
  check_predicate(cx, clause);
  cx.diagnostics.set_context("in action list");
  if (!body_is_checked) check_statements(cx, clause.statements);
  if (cx.diagnostics.list().size() == before) check_speculation(clause, cx.diagnostics);
  cx.diagnostics.set_context("");
  cx.guarded([&] { add_told_arguments(cx, clause); });
  clause.needs = std::move(cx.needs_kernel);
  cx.clause = nullptr;
}

/// A predicate may use what only the body assigns, so the body is checked first. False: the body uses what only the
/// predicate may declare, so it must be checked after that; it is unchanged.
bool check_body_first(CheckContext& cx, ClauseAst& clause) {
  cx.diagnostics.set_context("in action list");
  const size_t before = cx.diagnostics.list().size();
  std::vector<Statement> unchecked = clone(clause.statements);
  const auto unsure = cx.unsure;
  check_statements(cx, clause.statements);
  const auto& all = cx.diagnostics.list();
  const bool unknown = std::any_of(all.begin() + static_cast<ptrdiff_t>(before), all.end(),
                                   [](const Diagnostic& one) { return is_unknown_name(one.tag); });
  if (!unknown) return true;
  cx.diagnostics.keep(before);
  clause.statements = std::move(unchecked);
  cx.unsure = unsure;
  return false;
}

void check_predicate(CheckContext& cx, ClauseAst& clause) {
  if (!clause.predicate) return;
  cx.diagnostics.set_context("in predicate");
  const SourceRange where = clause.predicate->where;
  const bool right = cx.guarded([&] {
    clause.predicate =
        check_scalar(cx, std::move(clause.predicate), "D_PRED_SCALAR", "predicate result must be of scalar type");
    only_statements_act(cx, *clause.predicate, false);
  });
  if (!right) cx.remember_names(where);
}

void check_statements(CheckContext& cx, std::vector<Statement>& list) {
  for (Statement& one : list)
    if (!cx.guarded([&] { check_statement(cx, one); })) cx.remember_names(one.where);
}

void check_statement(CheckContext& cx, Statement& statement) {
  if (statement.kind == Statement::Kind::Expression) {
    statement.expression = check_statement_expression(cx, std::move(statement.expression));
    only_statements_act(cx, *statement.expression, true);
    return;
  }
  cx.guarded([&] {
    statement.expression =
        check_scalar(cx, std::move(statement.expression), "D_OP_SCALAR", "the condition of if must be of scalar type");
    only_statements_act(cx, *statement.expression, false);
  });
  check_statements(cx, statement.then_part);
  check_statements(cx, statement.else_part);
}

/// Checks what only a statement may be: an action, an aggregation, or a ?: of them.
ExprPtr check_statement_expression(CheckContext& cx, ExprPtr expr) {
  switch (expr->kind) {
    case ExprKind::Call: return check_statement_call(cx, std::move(expr));
    case ExprKind::Conditional: return check_statement_arms(cx, std::move(expr));
    case ExprKind::Assign:
    case ExprKind::Update:
      if (is_aggregation(*expr->kids[0])) return check_aggregate(cx, std::move(expr));
      break;
    case ExprKind::Comma:
      for (ExprPtr& kid : expr->kids) kid = check_statement_expression(cx, std::move(kid));
      expr->type = cx.world.types.void_type();
      return expr;
    default: break;
  }
  if (is_aggregation(*expr)) {
    const Expr* base = expr.get();
    while (base->kind == ExprKind::Index) base = base->kids[0].get();
    if (expr->kind == ExprKind::Name && !cx.world.names.aggregations.contains(base->text.substr(1)))
      cx.fail("D_IDENT_UNDEF", expr->where, "failed to resolve " + base->text + ": Unknown variable name",
              "an aggregating function makes it: " + base->text + " = count()");
    cx.fail("D_AGG_NULL", expr->where, "expression has null effect: " + base->text);
  }
  expr = check_expression(cx, std::move(expr));
  if (expr->type->canonical->kind == Type::Kind::Dynamic)
    cx.fail("D_CG_DYN", expr->where, "expression cannot evaluate to result of dynamic type");
  return expr;
}

ExprPtr check_statement_call(CheckContext& cx, ExprPtr expr) {
  std::string name;
  const DFunction* row = function_of(cx, *expr, name);
  if (!row) return check_expression(cx, std::move(expr));  // reports the error
  if (is_action(row->runs)) return check_action(cx, std::move(expr), *row);
  expr = check_expression(cx, std::move(expr));
  Type::Kind kind = expr->type->canonical->kind;
  if (kind != Type::Kind::Stack && kind != Type::Kind::Symbol) return expr;
  return traced(cx, std::move(expr));  // ustack(); and usym(x); print
}

ExprPtr check_statement_arms(CheckContext& cx, ExprPtr expr) {
  expr->kids[0] =
      check_scalar(cx, std::move(expr->kids[0]), "D_OP_SCALAR", "operator ?: expression must be of scalar type");
  if (ExprPtr arm = only_arm(*expr)) return check_statement_expression(cx, std::move(arm));
  for (size_t i : {1, 2}) expr->kids[i] = check_statement_expression(cx, std::move(expr->kids[i]));
  expr->type = cx.world.types.void_type();
  return expr;
}

}  // namespace

std::vector<ClauseAst> check_items(CheckContext& cx, SyntaxTree& tree) {
  std::vector<ClauseAst> clauses;
  for (Item& item : tree.items) {
    if (auto* one = std::get_if<ClauseAst>(&item)) {
      check_clause(cx, *one);
      clauses.push_back(std::move(*one));
    } else if (auto* declared = std::get_if<DeclarationSyntax>(&item)) {
      if (!cx.guarded([&] { check_declaration(cx, *declared); })) cx.remember_names(declared->where);
    } else if (auto* defined = std::get_if<InlineSyntax>(&item)) {
      if (!cx.guarded([&] { check_inline(cx, *defined); })) cx.remember_names(defined->where);
    } else if (auto* translated = std::get_if<TranslatorSyntax>(&item)) {
      cx.guarded([&] { check_translator(cx, *translated); });
    } else if (auto* declared_provider = std::get_if<ProviderSyntax>(&item)) {
      cx.guarded([&] { check_provider(cx, *declared_provider); });
    }
  }
  return clauses;
}

}  // namespace sonde
