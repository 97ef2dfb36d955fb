// SPDX-License-Identifier: GPL-3.0-or-later
// A clause's body: interpreted at first, native code once it has run so often that this pays
//
// LLVM takes 9 ms for the first bodies, the list of calls of a short program less than one in the interpreter. So a body
// that runs a few times never meets LLVM. Whoever can compile asks to be told when a body has become hot, and gives it
// native code, from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/body/context.h"
#include "runtime/program/body_code.h"

namespace sonde {

class Body {
 public:
  explicit Body(BodyCode code);
  /// What the runtime itself does for a clause.
  explicit Body(BodyFunction native) : native_(native) {}

  /// Evaluates the rest of the predicate, then the statements. Returns 0 when the predicate was false, else 1. A fault is
  /// left in the context. Only one thread runs bodies, one at a time.
  int32_t run(BodyContext& context);

  /// `hot` is called after each `runs` runs in the interpreter.
  void tell_when_hot(uint32_t runs, std::function<void()> hot);
  /// Whether it has run in the interpreter.
  bool has_run() const { return runs_ != 0; }

  void set_native(BodyFunction native) { native_.store(native, std::memory_order_release); }
  bool is_native() const { return native_.load(std::memory_order_acquire) != nullptr; }
  const BodyCode& code() const { return code_; }

 private:
  int32_t run_interpreted(BodyContext& context);

  std::atomic<BodyFunction> native_ = nullptr;
  BodyCode code_;
  std::vector<uint64_t> frame_;
  uint64_t runs_ = 0;
  uint32_t hot_runs_ = 0;  ///< 0: nobody compiles
  std::function<void()> hot_;
};

}  // namespace sonde
