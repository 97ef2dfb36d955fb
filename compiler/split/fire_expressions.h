// SPDX-License-Identifier: GPL-3.0-or-later
// The expressions that can be computed where a probe fires, and their DIF.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "compiler/dif/emitter.h"
#include "compiler/lowered/lowered.h"

namespace sonde {

/// Reserved: no variable lives there. Fire parts of system calls keep a number there (call_plan.h), those of probes that
/// fire in the kernel what their provider says of the arguments.
inline constexpr uint32_t kCallLocal = SONDE_DIF_LOCALS - 1, kDerivedLocal = kCallLocal;
/// The same for arg0 and on of probes that their provider describes in D; the last of them has the lowest number.
inline constexpr uint32_t kArgumentLocal = kDerivedLocal - 1, kFirstReserved = kDerivedLocal - SONDE_PROBE_ARGUMENTS;

/// Instructions for the filter of a clause; conjuncts beyond that stay in the body.
inline constexpr uint32_t kMaxFilter = SONDE_DIF_MAX_LENGTH / 2;

/// A scalar that lives in the interpreter of the fire part: a thread variable or a local.
struct ResidentCell {
  bool thread = false;
  uint8_t index = 0;
  bool kernel = false;  ///< it may hold an address in the kernel
};

/// By index into BodyProgram::variables.
using Residents = std::map<uint32_t, ResidentCell>;

/// The cost of evaluating an expression.
struct FireCost {
  uint32_t registers = 1;
  uint32_t open = 0;    ///< branch targets that are open at once
  uint32_t length = 1;  ///< instructions
  bool loads = false;   ///< may fault
};

class FireExpressions {
 public:
  explicit FireExpressions(const Residents& residents) : residents_(residents) {}

  /// Filter: a fault ends the program. Value: a capture takes over the fault, and must come before any branch.
  enum class Use : uint8_t { Filter, Value };

  /// The cost of an integer or pointer expression that the fire part can compute; nothing if it cannot.
  std::optional<FireCost> cost(const LoweredExpr& expr, Use use) const;
  /// Emits it; the value goes to register `d`, higher registers are overwritten.
  void emit(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const;

  /// Whether it is an address in the kernel. If an expression starts at something of the kernel's, all that it reads on
  /// its way is, too.
  bool is_kernel(const LoweredExpr& expr) const;
  /// v = expr or v op= expr on a resident `v`.
  void emit_assignment(DifEmitter& out, const LoweredExpr& assignment) const;

 private:
  const Residents& residents_;
  mutable bool addressing_ = false;  ///< the expression is the address of a load

  std::optional<FireCost> any_cost(const LoweredExpr& expr, Use use) const;
  std::optional<FireCost> builtin_cost(const LoweredExpr& expr) const;
  std::optional<FireCost> binary_cost(const LoweredExpr& expr, Use use) const;
  std::optional<FireCost> logical_cost(const LoweredExpr& expr, Use use) const;
  std::optional<FireCost> conditional_cost(const LoweredExpr& expr, Use use) const;
  std::optional<FireCost> deref_cost(const LoweredExpr& expr, Use use) const;
  void emit_builtin(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const;
  void emit_unary(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const;
  void emit_binary(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const;
  void emit_logical(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const;
  void emit_conditional(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const;
  void emit_deref(DifEmitter& out, const LoweredExpr& expr, uint32_t d) const;
};

}  // namespace sonde
