// SPDX-License-Identifier: GPL-3.0-or-later
// The split: fire part and body
//
// First it is decided for all units together which variables live in the fire part (split_residents.cpp), then each
// clause is split by itself (split_clause.cpp). Where that takes more captures than a record has, it is done again with the clause's
// variables in the body, which captures none of them. A call that fails leaves nothing behind.
#include "compiler/passes/split.h"

#include <algorithm>

namespace sonde {

std::vector<SplitClause> Splitter::split(const std::vector<const Unit*>& units, Diagnostics& diagnostics) {
  for (std::set<uint32_t> crowding;;) {
    Attempt attempt = try_split(units, crowding);
    const size_t known = crowding.size();
    crowding.insert(attempt.crowding.begin(), attempt.crowding.end());
    if (crowding.size() > known) continue;
    for (const Diagnostic& one : attempt.diagnostics.list()) diagnostics.report(one);
    return std::move(attempt.clauses);
  }
}

/// `in_body`: variables that may not live in the fire part.
Splitter::Attempt Splitter::try_split(const std::vector<const Unit*>& units, const std::set<uint32_t>& in_body) {
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

  CaptureLimits limits{static_cast<uint32_t>(std::min<uint64_t>(options_.number("strsize"), SONDE_DIF_MAX_TEXT - 1)),
                       options_.was_set("cpu")};
  for (const Unit* unit : units) {
    for (const ClauseAst& clause : unit->clauses) {
      ClauseSplitter splitter(residency.residents, origins, limits, attempt.diagnostics);
      attempt.clauses.push_back(splitter.split(clause));
      for (uint32_t variable : splitter.crowding())
        if (!residency_.decided.contains(variable)) attempt.crowding.insert(variable);
      blamed_.resize(attempt.diagnostics.list().size(), unit);
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

std::unique_ptr<Splitter> make_splitter(const BodyProgram& program, const Options& options) {
  return std::make_unique<Splitter>(program, options);
}

void delete_splitter(Splitter* splitter) { delete splitter; }

std::vector<SplitClause> split(Splitter& splitter, const std::vector<const Unit*>& units, Diagnostics& diagnostics) {
  return splitter.split(units, diagnostics);
}

}  // namespace sonde
