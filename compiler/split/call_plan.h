// SPDX-License-Identifier: GPL-3.0-or-later
// What argstr and retstr need of a system call, as fire parts
//
// Which memory a call has is known by its number, so by the probe. A clause on many calls gets one fire part for each kind of call, all with the
// same slots, and the probe decides which of them runs. We refused one fire part that finds out where it is: it would be longer than a
// program may be, and would search at every firing.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/dif/emitter.h"
#include "compiler/split/split_clause.h"
#include "runtime/lang/options.h"
#include "runtime/syscall/capture.h"

namespace sonde {

inline constexpr uint32_t kCallLocal = SONDE_DIF_LOCALS - 1;  ///< ours: no variable lives there

/// Calls that need the same captures.
struct CallPlan {
  std::vector<CallCapture> captures;
  bool returns = false;
  std::vector<ProbeId> probes;
};

/// All that a clause shows. `slots` has the counts, not yet the places; it is not `decoded` where nothing is to be captured.
struct CallPlans {
  CallSlots slots;
  uint64_t most_bytes = 0;  ///< of a record, for the widest of them
  std::vector<CallPlan> plans;
};

CallPlans plan_calls(const LoweredClause& clause, const Options& options, const CallsOf& calls_of);

/// Code that captures the call's words and memory into `slots`. Texts have `strsize` bytes at most.
void emit_call(DifEmitter& out, const CallPlan& plan, const CallSlots& slots, uint32_t strsize);

}  // namespace sonde
