// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/body.h"

#include <utility>

#include "runtime/body/interpreter.h"

namespace sonde {

Body::Body(BodyCode code) : code_(std::move(code)), frame_(new_frame(code_)) {}

int32_t Body::run(BodyContext& context) {
  const BodyFunction native = native_.load(std::memory_order_acquire);
  return native != nullptr ? native(&context) : run_interpreted(context);
}

int32_t Body::run_interpreted(BodyContext& context) {
  if (++runs_; hot_runs_ != 0 && runs_ % hot_runs_ == 0) hot_();
  return interpret(code_, frame_, context);
}

void Body::tell_when_hot(uint32_t runs, std::function<void()> hot) {
  hot_runs_ = runs;
  hot_ = std::move(hot);
}

}  // namespace sonde
