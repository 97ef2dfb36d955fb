// SPDX-License-Identifier: GPL-3.0-or-later
// The result of splitting a clause: a fire part, and what its body finds in a record; and the split's questions about
// system calls.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "compiler/lowered/lowered.h"
#include "runtime/program/program.h"

namespace sonde {

/// The origin of a capture, and what a body finds in its slot.
struct Capture {
  sonde_slot_kind kind{};
  const LoweredExpr* expression = nullptr;  ///< what it replaces in the body; null: it belongs to a system call
};

/// A split clause. The fire part is DIF; the body is the tree, in which slots replace the expressions of `captures`.
struct SplitClause {
  const LoweredClause* clause = nullptr;
  std::shared_ptr<FireProgram> fire;
  FirePrograms
      fire_of_probe;  ///< for probes of system calls, if argstr or retstr need the call's memory; for probes that
                      ///< fire under a condition
  std::vector<Capture> captures;                    ///< by slot
  std::map<const LoweredExpr*, uint32_t> slot_of;   ///< expression -> slot
  std::vector<const LoweredExpr*> body_predicates;  ///< conjuncts that the fire part could not decide
  std::map<const LoweredExpr*, bool> done_at_fire;  ///< assignments that the fire part makes, so the body skips them
  std::set<const LoweredExpr*> followed;  ///< a Deref or StringOf that the body reads from the waiting program
  std::optional<uint32_t> execname_slot;  ///< captured for the printer
  bool held = false;
};

/// A probe of a system call, or of something else.
struct CallProbe {
  static constexpr uint32_t kNone = UINT32_MAX;
  ProbeId probe;
  uint32_t call = 0;
  bool returns = false;
};
/// The probes of system calls that a clause matches and, if there are others, one of those. None: argstr and retstr are
/// made from numbers alone.
using CallsOf = std::function<std::vector<CallProbe>(const LoweredClause&)>;

}  // namespace sonde
