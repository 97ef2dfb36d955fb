// SPDX-License-Identifier: GPL-3.0-or-later
// speculation(), speculate(), commit(), discard()
#include <iterator>
#include <vector>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

/// Reads the number of a speculation; false: it cannot be one, and the clause faults.
bool number_of(BodyContext* context, uint64_t word, uint64_t& id) {
  const int64_t number = static_cast<int32_t>(word);
  if (!context->state->speculations.in_range(number)) {
    sonde_fault(context, static_cast<uint64_t>(Fault::IllegalOperation), 0);
    return false;
  }
  id = static_cast<uint64_t>(number);
  return true;
}

}  // namespace

extern "C" {

uint64_t sonde_fn_speculation(BodyContext* context, uint32_t, const uint64_t*) {
  return context->state->speculations.open(context->record->timestamp);
}

void sonde_act_speculate(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  const auto id = static_cast<uint64_t>(static_cast<int32_t>(argv[0]));  // a number out of range is not a speculation
  BodyState& state = *context->state;
  if (state.speculations.use(id, context->record->tid))
    state.speculation = id;
  else
    sonde_fault(context, static_cast<uint64_t>(Fault::Skip), 0);
}

void sonde_act_commit(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  uint64_t id = 0;
  if (!number_of(context, argv[0], id)) return;
  BodyState& state = *context->state;
  std::vector<TraceRecord> records = state.speculations.close(id, context->record->tid, context->record->timestamp);
  std::move(records.begin(), records.end(), std::back_inserter(state.committed));
}

void sonde_act_discard(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  uint64_t id = 0;
  if (!number_of(context, argv[0], id)) return;
  context->state->speculations.close(id, context->record->tid, context->record->timestamp);
}

}  // extern "C"

}  // namespace sonde
