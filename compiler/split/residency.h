// SPDX-License-Identifier: GPL-3.0-or-later
// Which self-> and this-> scalars live where probes fire.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "compiler/split/fire_expressions.h"
#include "runtime/program/program.h"

namespace sonde {

/// An assignment that a later text makes to a variable that lives at fire time, but cannot be made there.
struct ResidencyBreach {
  const LoweredUnit* unit = nullptr;
  const LoweredExpr* assignment = nullptr;
};

/// What was decided in earlier calls, and what is decided in this one.
struct Residency {
  Residents residents;
  std::set<uint32_t> decided;  ///< every variable that some clause already names
};

/// Decides for the variables that are new in `units`; those of `in_body` live there. `residency` is changed; keep a copy for a failed call.
std::vector<ResidencyBreach> decide_residency(Residency& residency, std::span<const LoweredUnit> units,
                                              const BodyProgram& program, const std::set<uint32_t>& in_body);

/// The conjuncts of a predicate, in order; none for a null pointer.
std::vector<const LoweredExpr*> conjuncts(const LoweredExpr* predicate);

}  // namespace sonde
