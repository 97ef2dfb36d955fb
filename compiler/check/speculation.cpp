// SPDX-License-Identifier: GPL-3.0-or-later
// What may follow speculate() and commit() in a clause
//
// speculate() redirects what the clause records away from the output, and commit() writes to the output: neither is
// possible after something was recorded, and actions that cannot be undone may not be speculative. The order is that of
// the statements; the arms of an if or a ?: do not follow each other.
#include "compiler/check/speculation.h"

#include <string>
#include <utility>

namespace sonde {
namespace {

/// What has been done on the way to a statement.
struct Done {
  bool speculated = false, committed = false, recorded = false;

  void join(const Done& other) {
    speculated |= other.speculated;
    committed |= other.committed;
    recorded |= other.recorded;
  }
};

class SpeculationOrder {
 public:
  explicit SpeculationOrder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void statements(const std::vector<Statement>& list) {
    for (const Statement& statement : list) {
      if (!statement.expression) continue;  // it was refused
      expression(*statement.expression);
      if (statement.kind != Statement::Kind::If) continue;
      const Done before = done_;
      statements(statement.then_part);
      const Done after_then = std::exchange(done_, before);
      statements(statement.else_part);
      done_.join(after_then);
    }
  }

 private:
  void expression(const Expr& expr) {
    if (expr.kind == ExprKind::Conditional) {
      expression(*expr.kids[0]);
      const Done before = done_;
      expression(*expr.kids[1]);
      const Done after_then = std::exchange(done_, before);
      expression(*expr.kids[2]);
      return done_.join(after_then);
    }
    for (const ExprPtr& kid : expr.kids) expression(*kid);
    if (expr.kind == ExprKind::Aggregate) aggregation(expr);
    if (expr.kind == ExprKind::Call && expr.function && is_action(expr.function->runs)) action(expr);
  }

  void aggregation(const Expr& expr) {
    if (done_.speculated) complain("D_AGG_SPEC", expr, "aggregating actions may not follow speculate( )");
    if (done_.committed) complain("D_AGG_COMM", expr, "aggregating actions may not follow commit( )");
  }

  void action(const Expr& expr) {
    const Runs runs = expr.function->runs;
    if (runs == Runs::Speculate) return speculate(expr);
    if (runs == Runs::Commit) return commit(expr);
    if (done_.speculated && runs == Runs::Exit) complain("D_EXIT_SPEC", expr, "exit( ) may not follow speculate( )");
    if (done_.speculated && is_destructive(runs))
      complain("D_ACT_SPEC", expr, "destructive actions may not follow speculate( )");
    if (!is_recording(runs)) return;
    if (done_.committed) complain("D_DREC_COMM", expr, "data-recording actions may not follow commit( )");
    done_.recorded = true;
  }

  void speculate(const Expr& expr) {
    if (done_.speculated) complain("D_SPEC_SPEC", expr, "speculate( ) may not follow speculate( )");
    if (done_.committed) complain("D_SPEC_COMM", expr, "speculate( ) may not follow commit( )");
    if (done_.recorded) complain("D_SPEC_DREC", expr, "speculate( ) may not follow data-recording action(s)");
    done_.speculated = true;
  }

  void commit(const Expr& expr) {
    if (done_.recorded) complain("D_COMM_DREC", expr, "commit( ) may not follow data-recording action(s)");
    done_.committed = true;
  }

  /// Reports only the first error: later ones are often a consequence.
  void complain(std::string_view tag, const Expr& expr, std::string message) {
    if (complained_) return;
    complained_ = true;
    diagnostics_.report(tag, expr.where, std::move(message), "put it in a clause of its own");
  }

  Diagnostics& diagnostics_;
  Done done_;
  bool complained_ = false;
};

}  // namespace

void check_speculation(const ClauseAst& clause, Diagnostics& diagnostics) {
  SpeculationOrder(diagnostics).statements(clause.statements);
}

}  // namespace sonde
