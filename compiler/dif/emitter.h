// SPDX-License-Identifier: GPL-3.0-or-later
// Writes DIF, instruction by instruction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kmod/shared/dif.h"
#include "runtime/program/fire_program.h"

namespace sonde {

class DifEmitter {
 public:
  /// A branch target; it must be bound after all of its branches.
  using Label = uint32_t;

  DifEmitter() = default;
  /// Goes on inside of a finished program: what is emitted comes before its instruction `at`.
  DifEmitter(const FireProgram& program, size_t at);

  void op(sonde_dif_op op, uint32_t d = 0, uint32_t a = 0, uint32_t b = 0, int32_t i = 0);
  /// d = value, in the shortest way.
  void constant(uint32_t d, uint64_t value);
  /// Pool offset of a NUL-terminated text; equal texts share one.
  int32_t text(std::string_view text);
  /// Adds a slot. At most SONDE_MAX_SLOTS: check slots() first.
  uint32_t add_slot(sonde_slot_kind kind);
  uint32_t slots() const { return static_cast<uint32_t>(program_.kinds.size()); }
  size_t length() const { return program_.insns.size(); }

  Label label();
  /// JMP, JZ or JNZ on register `a`.
  void branch(sonde_dif_op op, Label to, uint32_t a = 0);
  void bind(Label label);
  /// Whether some branch refers to it.
  bool is_wanted(Label label) const { return !waiting_[label].empty(); }

  /// The program, verified. The caller has respected the limits of dif.h; any other refusal by the verifier is our bug.
  FireProgram finish();
  /// The same, not verified, and without record_max: for a program that only sources run, since each verifies what it
  /// loads.
  FireProgram finish_for_sources();

 private:
  void append_rest();

  FireProgram program_;
  size_t rest_at_ = 0;                ///< where rest_ was
  std::vector<sonde_dif_insn> rest_;  ///< comes behind what is emitted
  std::map<uint64_t, int32_t> numbers_;
  std::map<std::string, int32_t, std::less<>> texts_;
  std::vector<std::vector<size_t>> waiting_;  ///< by label: branches to it
};

}  // namespace sonde
