// SPDX-License-Identifier: GPL-3.0-or-later
// A firing: runs the ECBs of a probe, one after another
//
//   begin --> the time --> ECB 1 --> ECB 2, held --> end               its thread waits for the body of ECB 2,
//                                    begin --> ECB 3 --> end           and the firing goes on when it is released
//
// All records of a firing have one timestamp and one sequence number, also those behind a held ECB, which may follow
// younger records of other threads. ECBs run in order of epid. A firing that waits keeps its last epid, not a position
// in the list, because ECBs may come and go while its thread waits.
//
// The loop is the same where a thread has stopped (runtime/guard/recorder.h) and in sonde itself (runtime/framework/
// local_firing.h); they differ in a callback for each ECB. The callback is a template parameter because it is called at
// every firing. We refused a virtual function, which would be a second interface beside sonde_dif_env. The kernel
// module has a loop of its own, in C, inlined into its hooks: kmod/device/fire.h.
//
// A record that does not fit is dropped and counted by the ring's writer.
#pragma once

#include <optional>

#include "kmod/shared/dif.h"
#include "runtime/base/clock.h"
#include "runtime/buffer/ring.h"

namespace sonde {

/// How far a firing has come; kept while its thread waits.
struct FiringState {
  uint32_t probe = 0;
  Nanoseconds timestamp = 0;  ///< 0: the firing takes the time when it begins
  bool begun = false;
  uint32_t sequence = 0;                 ///< number of the firing in its writer
  uint32_t last_epid = 0;                ///< ECBs up to this one have run
  std::optional<uint32_t> unnamed_call;  ///< the number of the system call, which has no name
};

/// The thread that fires, for the records.
struct FiringThread {
  uint32_t pid, tid;
  bool can_wait;  ///< whether it can wait at a held ECB
};

/// The writing end of a ring, with the firings that write to it. Context: one thread at a time.
class FiringLoop {
 public:
  /// The ring must outlive the loop.
  explicit FiringLoop(const MappedRing& ring) : writer_(ring) {}

  enum class Outcome { Done, Held, Lacks };
  /// Runs the ECBs that have not run yet, up to and including a held one that has recorded. Returns Held then: the
  /// thread must wait, and run() is called again when it is released.
  /// If `lacks()` is true after a program, it could not read all that it needs yet: it has recorded nothing. Returns
  /// Lacks, and the next run() begins with it.
  /// An ECB has `epid`, `held` (its thread waits for the body) and `view()`, its program. `prepare(ecb)` prepares what
  /// that program needs, and returns the CPU for its record.
  template <typename Ecbs, typename Prepare, typename Lacks = bool (*)()>
  Outcome run(
      FiringState& firing, const Ecbs& ecbs, const FiringThread& thread, const sonde_dif_firing& seen,
      Prepare&& prepare, Lacks&& lacks = [] { return false; }) {
    writer_.begin_firing(monotonic_now());
    if (!firing.begun) begin(firing);
    Outcome outcome = Outcome::Done;
    for (const auto& ecb : ecbs) {
      if (ecb.epid <= firing.last_epid) continue;
      const uint32_t cpu = prepare(ecb);
      outcome = run_ecb(firing, ecb, thread, seen, cpu, lacks);
      if (outcome == Outcome::Lacks) break;
      firing.last_epid = ecb.epid;
      if (outcome == Outcome::Held) break;
    }
    writer_.end_firing();
    return outcome;
  }

  RingWriter& writer() { return writer_; }
  const RingWriter& writer() const { return writer_; }
  uint64_t programs_run() const { return programs_run_; }

 private:
  void begin(FiringState& firing) {
    firing.begun = true;
    if (firing.timestamp == 0) firing.timestamp = monotonic_now();
    firing.sequence = ++sequence_;
  }

  template <typename Ecb, typename Lacks>
  Outcome run_ecb(const FiringState& firing, const Ecb& ecb, const FiringThread& thread, const sonde_dif_firing& seen,
                  uint32_t cpu, Lacks&& lacks) {
    const sonde_dif_program& program = ecb.view();
    sonde_record* record = writer_.reserve(program.record_max);
    record->epid = ecb.epid;
    record->probe = firing.probe;
    record->timestamp = firing.timestamp;
    record->pid = thread.pid;
    record->tid = thread.tid;
    record->cpu = cpu;
    record->sequence = firing.sequence;
    const uint32_t size = sonde_dif_run(&program, &seen, record);
    if (lacks()) return Outcome::Lacks;
    programs_run_++;
    if (firing.unnamed_call) {
      record->flags |= SONDE_RECORD_UNNAMED_CALL;
      record->probe = *firing.unnamed_call;
    }
    const bool waits = ecb.held && thread.can_wait;
    if (waits) record->flags |= SONDE_RECORD_HELD;
    return writer_.commit(size) && waits ? Outcome::Held : Outcome::Done;
  }

  RingWriter writer_;
  uint32_t sequence_ = 0;
  uint64_t programs_run_ = 0;
};

}  // namespace sonde
