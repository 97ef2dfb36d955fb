// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the body's pointers point into the traced program.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "compiler/split/fire_expressions.h"

namespace sonde {

class PointerOrigins {
 public:
  /// Adds every assignment in `units` to those of earlier texts.
  void learn(std::span<const LoweredUnit> units, const Residents& residents);

  /// Whether everything that was assigned to this pointer came from the traced program.
  bool leads_into_program(const LoweredExpr& pointer, const Residents& residents) const;

 private:
  using Origin = uint8_t;  ///< bits: kProgram, kCopy, kOwn, kKernel
  std::map<uint32_t, Origin> variables_, arrays_;

  Origin origin(const LoweredExpr& expr, const FireExpressions& fire) const;
  Origin binary_origin(const LoweredExpr& expr, const FireExpressions& fire) const;
  Origin behind(const LoweredExpr& pointer, const FireExpressions& fire) const;
  bool learn_from(const LoweredExpr& expr, const FireExpressions& fire);
  bool learn_from(const std::vector<LoweredStatement>& statements, const FireExpressions& fire);
};

}  // namespace sonde
