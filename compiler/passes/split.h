// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/passes/passes.h"
#include "compiler/passes/split_clause.h"
#include "compiler/passes/split_pointers.h"
#include "compiler/passes/split_residents.h"

namespace sonde {

/// What the split remembers over the calls of a session.
class Splitter {
 public:
  Splitter(const BodyProgram& program, const Options& options) : program_(program), options_(options) {}

  std::vector<SplitClause> split(const std::vector<const Unit*>& units, Diagnostics& diagnostics,
                                 const CallsOf& calls_of);

  SplitClause split_remembering(const ClauseAst& clause, Diagnostics& diagnostics, const CallsOf& calls_of,
                                const CallsOf& entries_of) const;

  /// The unit that the n-th diagnostic of the last call is about.
  const Unit& unit_of(size_t diagnostic) const { return *blamed_.at(diagnostic); }

 private:
  struct Attempt {
    std::vector<SplitClause> clauses;
    Diagnostics diagnostics;
    std::set<uint32_t> crowding;  ///< variables that would leave room in a clause if they lived in the body
  };
  Attempt try_split(const std::vector<const Unit*>& units, const std::set<uint32_t>& in_body, const CallsOf& calls_of);
  SplitClause split_clause(const Residency& residency, const PointerOrigins& origins, const ClauseAst& clause,
                           Diagnostics& diagnostics, const CallsOf& calls_of, std::set<uint32_t>& crowding) const;

  const BodyProgram& program_;
  const Options& options_;
  Residency residency_;
  PointerOrigins origins_;
  std::vector<const Unit*> blamed_;
};

}  // namespace sonde
