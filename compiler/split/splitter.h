// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <span>
#include <vector>

#include "compiler/source/diagnostic.h"
#include "compiler/split/folding.h"
#include "compiler/split/pointer_origins.h"
#include "compiler/split/residency.h"
#include "compiler/split/split_clause.h"
#include "runtime/lang/options.h"

namespace sonde {

/// Remembers, for all texts of a session, where variables live: a later text that would contradict gets a diagnostic.
class Splitter {
 public:
  Splitter(const BodyProgram& program, const Options& options)
      : program_(program), options_(options), folding_(program) {}

  /// Splits all clauses of `units` together: whether a variable can live in the fire part depends on all its uses.
  std::vector<SplitClause> split(std::span<const LoweredUnit> units, Diagnostics& diagnostics,
                                 const CallsOf& calls_of = {});

  /// A hidden clause, without a tree, that captures at the entries of calls what `clause` needs to show them at their
  /// returns. Null `fire`: it needs nothing.
  SplitClause split_remembering(const LoweredClause& clause, Diagnostics& diagnostics, const CallsOf& entries_of) const;

  /// The unit of the n-th diagnostic of the last call.
  const LoweredUnit& unit_of(size_t diagnostic) const { return *blamed_.at(diagnostic); }

 private:
  struct Attempt {
    std::vector<SplitClause> clauses;
    Diagnostics diagnostics;
    std::set<uint32_t> crowding;  ///< variables that would free room in a record if they lived in the body
  };
  Attempt try_split(std::span<const LoweredUnit> units, const std::set<uint32_t>& in_body, const CallsOf& calls_of);
  SplitClause split_clause(const Residency& residency, const PointerOrigins& origins, const LoweredClause& clause,
                           Diagnostics& diagnostics, const CallsOf& calls_of, std::set<uint32_t>& crowding) const;

  const BodyProgram& program_;
  const Options& options_;
  Residency residency_;
  PointerOrigins origins_;
  Folding folding_;
  std::vector<const LoweredUnit*> blamed_;
};

}  // namespace sonde
