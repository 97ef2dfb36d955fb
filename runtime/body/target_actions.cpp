// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the thread that fired, which waits until the body has run.
#include <algorithm>
#include <csignal>
#include <span>

#include "runtime/base/check.h"
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

constexpr uint64_t kMostChill = 500'000'000;  // ns

void write_target(BodyContext* context, uint64_t from, uint64_t to, uint64_t size) {
  SONDE_CHECK(context->clause->held);
  if (size == 0 || sonde_may_load(context, from, size) == 0) return;
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(from), size);
  ThreadControl* threads = context->state->threads;
  const bool waits = (context->record->flags & SONDE_RECORD_HELD) != 0;
  if (waits && threads != nullptr && threads->write_memory(context->record->pid, to, bytes)) return;
  sonde_fault(context, static_cast<uint64_t>(Fault::BadAddress), to);
}

}  // namespace

extern "C" {

void sonde_act_stop(BodyContext* context, const ActionSite*, uint32_t, const uint64_t*) {
  SONDE_CHECK(context->clause->held);
  context->state->begin_trace(*context);
  context->state->release.stop = true;
}

void sonde_act_raise(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  SONDE_CHECK(context->clause->held);
  auto signal = static_cast<int>(argv[0]);
  if (signal >= 0 && signal < NSIG) {
    context->state->begin_trace(*context);
    context->state->release.signal = signal;
    return;
  }
  sonde_fault(context, static_cast<uint64_t>(Fault::IllegalOperation), 0);
}

void sonde_act_inject(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  SONDE_CHECK(context->clause->held);
  const auto result = static_cast<int64_t>(argv[0]);
  context->state->begin_trace(*context);
  context->state->release.result = result;
}

void sonde_act_copyout(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  write_target(context, argv[0], argv[1], argv[2]);
}

// At most `argv[2]` bytes, the NUL included.
void sonde_act_copyoutstr(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  std::string_view text = string_argument(context, argv[0]);
  if (context->fault != 0) return;
  if (uint64_t copy = make_string(context, text))
    write_target(context, copy, argv[1], std::min<uint64_t>(text.size() + 1, argv[2]));
}

void sonde_act_chill(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  BodyState& state = *context->state;
  if (argv[0] > kMostChill - std::min(state.chill_ns, kMostChill))
    return sonde_fault(context, static_cast<uint64_t>(Fault::IllegalOperation), 0);
  state.begin_trace(*context);
  state.chill_ns += argv[0];
}

/// A signal to the thread alone, for --inject: as strace's, it comes from the kernel.
void sonde_act___signal(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  SONDE_CHECK(context->clause->held);
  context->state->begin_trace(*context);
  context->state->release.signal = static_cast<int>(argv[0]);
  context->state->release.to_thread = true;
}

/// chill() without its limit, for --inject: who typed the time meant it.
void sonde_act___delay(BodyContext* context, const ActionSite*, uint32_t, const uint64_t* argv) {
  context->state->begin_trace(*context);
  context->state->chill_ns += argv[0];
}

}  // extern "C"

}  // namespace sonde
