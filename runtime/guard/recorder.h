// SPDX-License-Identifier: GPL-3.0-or-later
// Fires probes: runs their ECBs' programs, and writes the records
//
// A firing has one timestamp and one sequence number for all its ECBs. Where one of them is held, the firing stops
// behind it, and goes on with the next one when the thread is released; its later records carry the same
// timestamp, so they may stand behind younger ones of other threads.
//
// A full ring. The reader may only be a little late, so a firing waits for it, 100 ms at most. A reader that let
// that time pass is not waited for again until it has read something: a stopped consumer costs its targets 100 ms, once.
#pragma once

#include <optional>

#include "runtime/buffer/ring.h"
#include "runtime/guard/dif_env.h"
#include "runtime/guard/taps.h"

namespace sonde::guard {

class Recorder {
 public:
  explicit Recorder(const EcbTable& ecbs) : ecbs_(ecbs) {}

  /// Makes the ring. Returns its descriptor, for the reader. Errors: EEXIST, those of create_ring_memfd().
  Result<int> create(uint64_t bytes);
  bool ready() const { return writer_.has_value(); }

  enum class Outcome { Done, Held };
  /// Runs the rest of a firing. `regs` is null for a thread that has ended. Held: the thread must wait now.
  Outcome run(Thread& thread, Firing& firing, machine::Registers* regs);

  /// Time to tell the reader; once until it has moved.
  bool should_wake() { return writer_ && writer_->should_wake_reader(); }
  /// Where to see that the reader is gone; -1: it is.
  void set_reader(int socket) { reader_ = socket; }

  uint64_t firings() const { return firings_; }
  uint64_t records() const { return writer_ ? writer_->records() : 0; }
  uint64_t drops() const { return writer_ ? writer_->drops() : 0; }

 private:
  bool run_ecb(FireContext& context, const ArmedEcb& ecb, const char* name);
  void wait_for_room(uint64_t bytes);
  uint64_t room() const;

  const EcbTable& ecbs_;
  RingFile ring_;
  std::optional<RingWriter> writer_;
  int reader_ = -1;
  uint32_t sequence_ = 0;
  uint64_t firings_ = 0;
  uint64_t gave_up_at_ = UINT64_MAX;  // the tail when a wait was in vain
  int patience_ms_ = 0;               // what is left of this firing's
};

}  // namespace sonde::guard
