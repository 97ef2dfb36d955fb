// SPDX-License-Identifier: GPL-3.0-or-later
// The guard's firings: prepares what a program reads of a stopped thread, and owns the ring for the records
//
// A full ring. The reader may only be a little late, so a firing waits for it, up to 100 ms. After such a wait in vain
// no firing waits again until the reader has read something. So a stopped consumer costs its targets 100 ms, once.
#pragma once

#include <optional>

#include "runtime/buffer/mapped_ring.h"
#include "runtime/firing/firing_loop.h"
#include "runtime/guard/dif_env.h"
#include "runtime/guard/taps.h"

namespace sonde::guard {

class Recorder {
 public:
  explicit Recorder(const EcbTable& ecbs) : ecbs_(ecbs) {}

  /// Makes the ring. Returns its descriptor, for the reader. Errors: EEXIST, those of create_ring_memfd().
  Result<int> create(uint64_t bytes);
  bool ready() const { return loop_.has_value(); }
  bool walks_stacks() const { return ecbs_.walks_stacks(); }

  using Outcome = FiringLoop::Outcome;
  /// Runs the rest of a firing. `regs` is null for a thread that has ended, which cannot wait.
  Outcome run(Thread& thread, Firing& firing, machine::Registers* regs);

  /// Whether a clause on the probe holds its thread.
  bool holds(uint32_t probe) const;
  /// Whether a clause on the probe reads its thread's memory or stack.
  bool reads_memory(uint32_t probe) const;
  /// Firings that could not begin: counted as drops, one for each clause on the probe.
  void count_lost(uint32_t probe, uint64_t firings);

  /// An event is sent to the reader: before it uses the records that follow, it waits for the event.
  void count_event();
  /// Whether it is time to wake the reader; true only once until it has moved.
  bool should_wake() { return loop_ && loop_->writer().should_wake_reader(); }
  /// The socket that shows when the reader is gone; -1: it is gone.
  void set_reader(int socket) { reader_ = socket; }

  uint64_t firings() const { return loop_ ? loop_->programs_run() : 0; }
  uint64_t records() const { return loop_ ? loop_->writer().records() : 0; }
  uint64_t drops() const { return loop_ ? loop_->writer().drops() : 0; }

 private:
  template <typename Test>
  bool any_ecb(uint32_t probe, Test test) const;
  void wait_for_room(uint64_t bytes);
  uint64_t room() const;

  const EcbTable& ecbs_;
  RingFile ring_;
  std::optional<FiringLoop> loop_;
  int reader_ = -1;
  uint64_t events_ = 0;
  uint64_t gave_up_at_ = UINT64_MAX;  // the reader's tail when a wait was in vain
  int patience_ms_ = 0;               // what is left of the current firing's wait
};

}  // namespace sonde::guard
