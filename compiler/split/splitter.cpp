// SPDX-License-Identifier: GPL-3.0-or-later
// The split: fire part and body
//
//   all clauses together   which variables live in the fire part (residency.cpp), and where
//                          pointers lead (pointer_origins.cpp)
//   each clause            its filter, captures and assignments (clause_splitter.cpp)
//   again                  if a record has no room for its captures: with the variables among them in the body
//
// Each repetition moves at least one more variable to the body, so it ends. An attempt works on copies, which replace
// the splitter's state only if it has no error.
#include "compiler/split/splitter.h"

#include <algorithm>

#include "compiler/split/clause_splitter.h"

namespace sonde {

/// A clause that shows system calls has a fire part for each kind of call, with the same slots. If the record has no
/// room, the resident variables that it captures are added to `crowding`.
SplitClause Splitter::split_clause(const Residency& residency, const PointerOrigins& origins,
                                   const LoweredClause& clause, Diagnostics& diagnostics, const CallsOf& calls_of,
                                   std::set<uint32_t>& crowding) const {
  CaptureLimits limits{static_cast<uint32_t>(std::min<uint64_t>(options_.number("strsize"), SONDE_DIF_MAX_TEXT - 1)),
                       options_.was_set("cpu"), options_.text("format") != "text"};
  const CallPlans plans = plan_calls(clause, options_, calls_of);
  ClauseSplitter splitter(residency.residents, origins, limits, diagnostics, folding_, &plans);
  SplitClause result = splitter.split(clause);
  for (uint32_t variable : splitter.crowding())
    if (!residency_.decided.contains(variable)) crowding.insert(variable);
  if (diagnostics.any()) return result;
  for (const LoweredPreface& preface : clause.prefaces) {
    const std::shared_ptr<const FireProgram> program = splitter.fire_behind(preface, *result.fire);
    if (program == nullptr)
      diagnostics.report("D_UNKNOWN", clause.where,
                         "what decides whether a probe of this clause fires cannot be computed where it fires");
    for (ProbeId probe : preface.probes) result.fire_of_probe.emplace_back(probe, program);
  }
  for (const CallPlan& plan : plans.plans) {
    const std::shared_ptr<const FireProgram> program = splitter.fire_for(plan, result);
    for (ProbeId probe : plan.probes) result.fire_of_probe.emplace_back(probe, program);
  }
  // Two descriptions may match one probe, which is in the same plan each time; what has a preface comes first.
  std::ranges::stable_sort(result.fire_of_probe, {}, &FirePrograms::value_type::first);
  const auto repeated = std::ranges::unique(result.fire_of_probe, {}, &FirePrograms::value_type::first);
  result.fire_of_probe.erase(repeated.begin(), repeated.end());
  return result;
}

std::vector<SplitClause> Splitter::split(std::span<const LoweredUnit> units, Diagnostics& diagnostics,
                                         const CallsOf& calls_of) {
  folding_.learn(units);
  for (std::set<uint32_t> crowding;;) {
    Attempt attempt = try_split(units, crowding, calls_of);
    const size_t known = crowding.size();
    crowding.insert(attempt.crowding.begin(), attempt.crowding.end());
    if (crowding.size() > known) continue;
    for (const Diagnostic& one : attempt.diagnostics.list()) diagnostics.report(one);
    return std::move(attempt.clauses);
  }
}

/// `in_body`: variables that must not live in the fire part.
Splitter::Attempt Splitter::try_split(std::span<const LoweredUnit> units, const std::set<uint32_t>& in_body,
                                      const CallsOf& calls_of) {
  Attempt attempt;
  blamed_.clear();
  Residency residency = residency_;
  for (const ResidencyBreach& breach : decide_residency(residency, units, program_, in_body)) {
    const VariableDesc& variable = program_.variables[breach.assignment->kids[0]->variable_index];
    const char* scope = variable.scope == VariableDesc::Scope::Self ? "self->" : "this->";
    attempt.diagnostics.report("D_UNKNOWN", breach.assignment->where,
                               scope + variable.name + " is kept where probes fire, and this value is not known there",
                               "clauses that are already enabled rely on it: take another variable");
    blamed_.push_back(breach.unit);
  }
  if (attempt.diagnostics.any()) return attempt;
  PointerOrigins origins = origins_;
  origins.learn(units, residency.residents);

  for (const LoweredUnit& unit : units) {
    for (const LoweredClause& clause : unit.clauses) {
      attempt.clauses.push_back(
          split_clause(residency, origins, clause, attempt.diagnostics, calls_of, attempt.crowding));
      blamed_.resize(attempt.diagnostics.list().size(), &unit);
    }
  }
  if (attempt.diagnostics.any()) {
    attempt.clauses.clear();
    return attempt;
  }
  residency_ = std::move(residency);
  origins_ = std::move(origins);
  return attempt;
}

SplitClause Splitter::split_remembering(const LoweredClause& clause, Diagnostics& diagnostics,
                                        const CallsOf& entries_of) const {
  if (!shows_arguments(clause, options_)) return {};
  auto shown = std::make_unique<LoweredExpr>();
  shown->kind = LoweredKind::Builtin;
  shown->builtin = find_variable("argstr");
  LoweredClause remembering;
  remembering.statements.emplace_back();
  remembering.statements.back().expression = std::move(shown);
  const std::vector<CallProbe> entries = entries_of(clause);
  if (entries.empty()) return {};
  std::set<uint32_t> crowding;  // it has no variables
  SplitClause result = split_clause(
      residency_, origins_, remembering, diagnostics, [&](const LoweredClause&) { return entries; }, crowding);
  result.clause = nullptr;
  return result;
}

}  // namespace sonde
