// SPDX-License-Identifier: GPL-3.0-or-later
// Clauses for the consumer
//
// A fault report shows the statement that faulted, by its number. The code generator numbers the statements
// (compiler/codegen/codegen_statements.cpp), and note_places() numbers them here, in the same order; change both together.
#include "compiler/describe.h"

#include "compiler/source/prepare.h"

namespace sonde {
namespace {

/// The properties of a clause that the consumer needs.
struct Summary {
  bool records = false, destructive = false;
  std::string impossible;

  void expression(const LoweredExpr& expr) {
    if (expr.kind == LoweredKind::Call && is_action(expr.function->runs)) {
      destructive = destructive || is_destructive(expr.function->runs);
      records = records || is_recording(expr.function->runs);
      if (expr.function->runs == Runs::Impossible) impossible = expr.function->doc;
    }
    for (const LoweredExprPtr& kid : expr.kids) expression(*kid);
  }

  void statements(const std::vector<LoweredStatement>& list) {
    for (const LoweredStatement& statement : list) {
      expression(*statement.expression);
      statements(statement.then_part);
      statements(statement.else_part);
    }
  }
};

/// In the order in which BodyCodegen::statements() numbers them.
void note_places(const std::vector<LoweredStatement>& list, std::vector<ClauseDesc::Span>& places) {
  for (const LoweredStatement& statement : list) {
    places.push_back({statement.where.begin, statement.where.end});
    note_places(statement.then_part, places);
    note_places(statement.else_part, places);
  }
}

}  // namespace

ClauseDesc describe(const SplitClause& split, const std::shared_ptr<const std::string>& text,
                    std::shared_ptr<Body> body) {
  const LoweredClause& clause = *split.clause;
  Summary summary;
  summary.statements(clause.statements);
  ClauseDesc result;
  result.descriptions = clause.descriptions;
  result.fire = split.fire;
  result.fire_of_probe = split.fire_of_probe;
  result.body = std::move(body);
  result.held = split.held;
  result.hidden = clause.hidden;
  result.default_action = clause.statements.empty();
  result.records = summary.records;
  result.execname_slot = split.execname_slot;
  result.destructive = summary.destructive;
  result.has_predicate = clause.predicate != nullptr;
  result.impossible = summary.impossible.empty() ? clause.needs : summary.impossible;
  const LoweredExpr* only = clause.statements.size() == 1 ? clause.statements.front().expression.get() : nullptr;
  result.only_speculates =
      only != nullptr && only->kind == LoweredKind::Call && only->function->runs == Runs::Speculate;
  result.text = text;
  const SourceRange predicate = clause.predicate ? clause.predicate->where : clause.where;
  result.places.push_back({predicate.begin, predicate.end});
  note_places(clause.statements, result.places);
  result.line = place_of(*text, clause.where.begin).line;
  return result;
}

}  // namespace sonde
