// SPDX-License-Identifier: GPL-3.0-or-later
// Fire parts for what argstr and retstr need of a system call
//
// The memory of a call depends on its number, and so on the probe. A clause on many calls gets one fire part for each
// kind of call, all with the same slots, and the probe selects the one that runs. We refused one fire part that finds
// out which call it is in: it would be longer than a program may be, and would search at every firing.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/dif/emitter.h"
#include "compiler/split/fire_expressions.h"
#include "compiler/split/split_clause.h"
#include "runtime/lang/options.h"
#include "runtime/syscall/capture.h"

namespace sonde {

/// Calls that need the same captures.
struct CallPlan {
  std::vector<CallCapture> captures;
  bool returns = false;
  std::vector<ProbeId> probes;
};

/// All plans of a clause. `slots` has the numbers of slots, not yet their positions; it is not `decoded` if nothing is
/// captured.
struct CallPlans {
  CallSlots slots;
  uint64_t most_bytes = 0;  ///< of the widest plan, in a record
  std::vector<CallPlan> plans;
  bool beside_others = false;  ///< the clause has probes of signals or ends, too, whose argstr is made of arguments
};

/// Whether argstr is to show the calls of the clause's probes.
bool shows_arguments(const LoweredClause& clause, const Options& options);

CallPlans plan_calls(const LoweredClause& clause, const Options& options, const CallsOf& calls_of);

/// Emits code that captures the call's words and memory into `slots`. Texts have at most `strsize` bytes.
void emit_call(DifEmitter& out, const CallPlan& plan, const CallSlots& slots, uint32_t strsize);

}  // namespace sonde
