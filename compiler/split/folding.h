// SPDX-License-Identifier: GPL-3.0-or-later
// Which clauses may be folded where their probes fire (kmod/shared/fold.h): a predicate of the fire part, keys, and
// values that it can compute
#pragma once

#include <set>
#include <span>

#include "compiler/lowered/lowered.h"
#include "compiler/split/fire_expressions.h"
#include "runtime/program/program.h"

namespace sonde {

class Folding {
 public:
  explicit Folding(const BodyProgram& program) : program_(program) {}

  /// Notes the aggregations that these clauses print or change, unless at a timer, BEGIN or END: there, what is in an
  /// aggregation depends on the order of firings, which folding does not keep.
  void learn(std::span<const LoweredUnit> units);

  /// Whether all that the clause leaves to its body is aggregations that may be folded.
  bool applies(const LoweredClause& clause, const Residents& residents) const;
  /// How a call of an aggregating function is folded; its slots are not filled in.
  sonde_fold_part part_of(const LoweredExpr& aggregate) const;

 private:
  void learn(const LoweredExpr& expr);
  void learn(const std::vector<LoweredStatement>& statements);
  bool applies_to(const LoweredExpr& aggregate, const FireExpressions& fire, const Residents& residents) const;

  const BodyProgram& program_;
  std::set<uint32_t> ordered_;  ///< aggregations
};

/// Whether the value depends on the thread or its process, as the record's header names them.
bool names_thread(const LoweredExpr& expr);

}  // namespace sonde
