// SPDX-License-Identifier: GPL-3.0-or-later
// Splits one clause, once it is known where variables live.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "compiler/dif/emitter.h"
#include "compiler/source/diagnostic.h"
#include "compiler/split/call_plan.h"
#include "compiler/split/fire_expressions.h"
#include "compiler/split/folding.h"
#include "compiler/split/pointer_origins.h"
#include "compiler/split/split_clause.h"

namespace sonde {

/// What options require of captures.
struct CaptureLimits {
  uint32_t strsize = 256;
  bool notes_cpu = false;       ///< the record must have its CPU
  bool notes_execname = false;  ///< the printer shows the program's name with each record
};

class ClauseSplitter {
 public:
  ClauseSplitter(const Residents& residents, const PointerOrigins& origins, CaptureLimits limits,
                 Diagnostics& diagnostics, const Folding& folding, const CallPlans* plans)
      : residents_(residents),
        origins_(origins),
        folding_(folding),
        fire_(residents),
        limits_(limits),
        diagnostics_(diagnostics),
        plans_(plans) {}

  /// Its fire part captures nothing of a call's memory; that is done by fire_for().
  SplitClause split(const LoweredClause& clause);
  /// The fire part of the clause that was split, for the calls of one plan.
  std::shared_ptr<const FireProgram> fire_for(const CallPlan& plan, const SplitClause& split);
  /// The same behind what is computed before the clause. Null: that cannot be computed where the probe fires.
  std::shared_ptr<const FireProgram> fire_behind(const LoweredPreface& preface, const FireProgram& fire) const;

  /// If the record had no room for the clause's captures: the resident variables among them.
  const std::set<uint32_t>& crowding() const { return crowding_; }

 private:
  const Residents& residents_;
  const PointerOrigins& origins_;
  const Folding& folding_;
  FireExpressions fire_;
  CaptureLimits limits_;
  Diagnostics& diagnostics_;
  const CallPlans* plans_;  ///< for the system calls that the clause shows; without slots: none
  DifEmitter out_;
  SplitClause result_;
  std::map<std::string, uint32_t> known_;    ///< captures so far; the key is what they capture
  std::map<uint32_t, uint32_t> generation_;  ///< of resident variables: number of assignments so far
  uint64_t record_bytes_ = sizeof(sonde_record);
  sonde_fold fold_{};
  bool full_ = false;
  bool waits_ = false;         ///< the thread must wait for the body, for another reason than a signal
  uint32_t signal_calls_ = 0;  ///< calls of Runs::Signal, wherever they are
  std::set<uint32_t> crowding_;
  bool call_captured_ = false;
  CallSlots call_slots_;  ///< not `decoded`: the clause captures no call
  size_t call_at_ = 0;    ///< the instruction before which a call's captures come

  void split_predicate(const LoweredExpr* predicate, DifEmitter::Label fail);
  void split_statements(const std::vector<LoweredStatement>& statements);
  bool assign(const LoweredStatement& statement);
  void split_folded(const std::vector<LoweredStatement>& statements);
  void fold(std::span<const LoweredExpr* const> aggregates);
  bool capture_values(std::span<const LoweredExpr* const> aggregates);
  bool assigns_resident(const LoweredExpr& expr) const;
  bool has_work_for_body(const LoweredClause& clause) const;
  void finish(const LoweredClause& clause, DifEmitter::Label fail);
  uint64_t signals_of(const LoweredClause& clause) const;
  bool fits(size_t length, const LoweredClause& clause);

  void walk(const LoweredExpr& expr);
  void walk_kids(const LoweredExpr& expr);
  bool walk_address(const LoweredExpr& place);
  bool walk_builtin(const LoweredExpr& expr);
  void capture_hidden_arguments(const DVariable& variable);
  void capture_call();
  void capture_execname(const LoweredClause& clause);
  bool walk_call(const LoweredExpr& expr);
  bool capture_copyinstr(const LoweredExpr& call);
  bool capture_copyin(const LoweredExpr& call);
  bool capture_object(const LoweredExpr& deref);
  bool capture_string_of(const LoweredExpr& expr);
  bool leads_out(const LoweredExpr& pointer) const;
  void follow(const LoweredExpr& expr);
  bool capture_stack(const LoweredExpr& call);
  bool capture_word(const LoweredExpr& expr);
  bool capture_text(const LoweredExpr& expr, uint32_t which);
  bool computable(const LoweredExpr& expr, uint32_t registers_left) const;

  std::string key(const LoweredExpr& expr) const;
  /// Adds a slot for `expr`: the caller must emit its code. Nothing if an equal capture exists, or there is no room.
  std::optional<uint32_t> new_slot(const LoweredExpr& expr, sonde_slot_kind kind, uint64_t span_bytes);
};

}  // namespace sonde
