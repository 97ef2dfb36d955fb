// SPDX-License-Identifier: GPL-3.0-or-later
// Residency
//
//   syscall::read:entry { self->t = timestamp; }             fire part: STT; no record at all
//   syscall::read:return /self->t/ { ... - self->t ... }     fire part: LDT, JZ, LDT, CAPW
//
// A variable lives in one place. It lives in the fire part if all its assignments can be made there: each is a
// statement of its own, outside of any if; its value can be computed there and cannot fault; and the predicate of its
// clause is decided there. The value may depend on other candidates, so candidates are removed until nothing changes. A
// variable that a compiled clause uses stays where it is: moving it would change code that runs.
#include "compiler/split/residency.h"

#include <algorithm>

#include "compiler/split/call_plan.h"
#include "compiler/types/arithmetic.h"
#include "runtime/base/glob.h"

namespace sonde {
namespace {

struct Assignment {
  const LoweredUnit* unit = nullptr;
  const LoweredClause* clause = nullptr;
  const LoweredExpr* expr = nullptr;
  bool is_statement = false;    ///< a statement of the clause itself, not below an if or inside an expression
  bool may_be_skipped = false;  ///< behind a speculate(), which ends the clause if there is no such speculation
};

/// All uses of variables in the units.
struct Uses {
  std::vector<Assignment> assignments;
  std::set<uint32_t> named;
  std::set<uint32_t> addressed;
  std::set<uint32_t>
      in_error;  ///< named in a clause of dtrace:::ERROR, which shares this-> with the clause that failed
};

bool may_be_error(const LoweredClause& clause) {
  return std::ranges::any_of(clause.descriptions, [](const ProbeDescription& one) {
    return Glob(one.name).matches("ERROR") && Glob(one.provider).matches("dtrace");
  });
}

class Collector {
 public:
  Collector(Uses& uses, const LoweredUnit& unit, const LoweredClause& clause)
      : uses_(uses), unit_(unit), clause_(clause), is_error_clause_(may_be_error(clause)) {}

  void expression(const LoweredExpr& expr, bool is_statement) {
    bool assigns = expr.kind == LoweredKind::Assign || expr.kind == LoweredKind::Update;
    if (assigns && expr.kids[0]->kind == LoweredKind::Variable)
      uses_.assignments.push_back({&unit_, &clause_, &expr, is_statement, speculates_});
    speculates_ = speculates_ || (expr.kind == LoweredKind::Call && expr.function->runs == Runs::Speculate);
    if (expr.kind == LoweredKind::Variable) {
      uses_.named.insert(expr.variable_index);
      if (is_error_clause_) uses_.in_error.insert(expr.variable_index);
    }
    if (expr.kind == LoweredKind::AddressOf && expr.kids[0]->kind == LoweredKind::Variable)
      uses_.addressed.insert(expr.kids[0]->variable_index);
    for (const LoweredExprPtr& kid : expr.kids) expression(*kid, false);
  }

  void statements(const std::vector<LoweredStatement>& list, bool outermost) {
    for (const LoweredStatement& statement : list) {
      expression(*statement.expression, outermost && !statement.is_if);
      statements(statement.then_part, false);
      statements(statement.else_part, false);
    }
  }

 private:
  Uses& uses_;
  const LoweredUnit& unit_;
  const LoweredClause& clause_;
  bool is_error_clause_;
  bool speculates_ = false;  ///< a speculate() came before
};

Uses collect(std::span<const LoweredUnit> units) {
  Uses uses;
  for (const LoweredUnit& unit : units) {
    for (const LoweredClause& clause : unit.clauses) {
      Collector collector(uses, unit, clause);
      if (clause.predicate) collector.expression(*clause.predicate, false);
      collector.statements(clause.statements, true);
    }
  }
  return uses;
}

/// Whether the fire part can make this assignment, given where variables live.
bool can_be_made(const Assignment& assignment, const Residents& residents) {
  FireExpressions fire(residents);
  if (!assignment.is_statement || assignment.may_be_skipped) return false;
  uint32_t length = 0;
  for (const LoweredExpr* conjunct : conjuncts(assignment.clause->predicate.get())) {
    auto filter = fire.cost(*conjunct, FireExpressions::Use::Filter);
    if (!filter) return false;
    length += filter->length + 1;
  }
  if (length > kMaxFilter) return false;
  const LoweredExpr& value = *assignment.expr->kids[1];
  auto cost = fire.cost(value, FireExpressions::Use::Value);
  if (!cost || cost->loads || cost->registers + 1 > SONDE_DIF_REGISTERS) return false;
  bool divides = assignment.expr->kind == LoweredKind::Update &&
                 (assignment.expr->op == Op::Div || assignment.expr->op == Op::Mod);
  return !divides || constant_of(value).value_or(0) != 0;
}

/// Makes candidates of new scalars of a thread or a firing that are assigned somewhere, as long as there are cells.
void add_candidates(Residency& residency, const Uses& uses, const BodyProgram& program,
                    const std::set<uint32_t>& in_body) {
  uint32_t used[2] = {};
  for (const auto& [variable, cell] : residency.residents)
    used[cell.thread] = std::max(used[cell.thread], cell.index + 1u);
  for (const Assignment& assignment : uses.assignments) {
    uint32_t index = assignment.expr->kids[0]->variable_index;
    const VariableDesc& variable = program.variables[index];
    if (variable.scope == VariableDesc::Scope::Global || residency.decided.contains(index) ||
        uses.addressed.contains(index) || in_body.contains(index))
      continue;
    if (!is_word(*assignment.expr->kids[0]->type) || residency.residents.contains(index)) continue;
    bool thread = variable.scope == VariableDesc::Scope::Self;
    if (!thread && uses.in_error.contains(index)) continue;
    if (used[thread] == (thread ? SONDE_DIF_THREAD : kFirstReserved)) continue;
    residency.residents[index] = {thread, static_cast<uint8_t>(used[thread]++)};
  }
}

/// A variable that is assigned a kernel address anywhere counts as a kernel address everywhere.
void mark_kernel(Residents& residents, const Uses& uses) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Assignment& assignment : uses.assignments) {
      auto at = residents.find(assignment.expr->kids[0]->variable_index);
      if (at == residents.end() || at->second.kernel) continue;
      at->second.kernel = FireExpressions(residents).is_kernel(*assignment.expr->kids[1]);
      changed = changed || at->second.kernel;
    }
  }
}

/// Removes candidates until all assignments to the others can be made.
void strike_out(Residency& residency, const Uses& uses) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Assignment& assignment : uses.assignments) {
      uint32_t index = assignment.expr->kids[0]->variable_index;
      if (residency.decided.contains(index) || !residency.residents.contains(index)) continue;
      if (can_be_made(assignment, residency.residents)) continue;
      residency.residents.erase(index);
      changed = true;
    }
  }
}

}  // namespace

std::vector<const LoweredExpr*> conjuncts(const LoweredExpr* predicate) {
  if (!predicate) return {};
  if (predicate->kind != LoweredKind::Logical || predicate->op != Op::LogAnd) return {predicate};
  std::vector<const LoweredExpr*> all = conjuncts(predicate->kids[0].get());
  for (const LoweredExpr* right : conjuncts(predicate->kids[1].get())) all.push_back(right);
  return all;
}

std::vector<ResidencyBreach> decide_residency(Residency& residency, std::span<const LoweredUnit> units,
                                              const BodyProgram& program, const std::set<uint32_t>& in_body) {
  Uses uses = collect(units);
  add_candidates(residency, uses, program, in_body);
  strike_out(residency, uses);
  mark_kernel(residency.residents, uses);
  std::vector<ResidencyBreach> breaches;
  for (const Assignment& assignment : uses.assignments) {
    bool lives_there = residency.residents.contains(assignment.expr->kids[0]->variable_index);
    if (lives_there && !can_be_made(assignment, residency.residents))
      breaches.push_back({assignment.unit, assignment.expr});
  }
  residency.decided.insert(uses.named.begin(), uses.named.end());
  return breaches;
}

}  // namespace sonde
