// SPDX-License-Identifier: GPL-3.0-or-later
// Which self-> and this-> scalars live in the fire part.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "compiler/split/fire_expressions.h"
#include "runtime/program/program.h"

namespace sonde {

/// An assignment in a later text that the fire part cannot make, to a variable that lives there.
struct ResidencyBreach {
  const LoweredUnit* unit = nullptr;
  const LoweredExpr* assignment = nullptr;
};

/// The decisions of earlier calls, and of this one.
struct Residency {
  Residents residents;
  std::set<uint32_t> decided;  ///< every variable that some clause uses already
};

/// Decides for the new variables in `units`; those in `in_body` live in the body. Changes `residency`; keep a copy in
/// case of an error.
std::vector<ResidencyBreach> decide_residency(Residency& residency, std::span<const LoweredUnit> units,
                                              const BodyProgram& program, const std::set<uint32_t>& in_body);

/// The conjuncts of a predicate, in order; none for a null pointer.
std::vector<const LoweredExpr*> conjuncts(const LoweredExpr* predicate);

}  // namespace sonde
