// SPDX-License-Identifier: GPL-3.0-or-later
// Probes that fire in sonde itself: dtrace_probe()
//
//   dtrace_probe(id, args) --> a ring, claimed by one exchange --> the probe's list of ECBs --> DIF --> the ring
//
// The firing side takes no lock, allocates nothing and never blocks. Two things make that possible.
//
// Rings. There are kRings of them, made when the first ECB of a local probe is added, not while something fires. A firing claims a ring
// for as long as it lasts; a thread begins its search at a ring of its own, so up to kRings threads never
// meet, and a ring's records stay in order of time because one firing owns it. When all are taken the firing's records are
// dropped and counted. We refused a ring a thread for ever: it would need a list that grows, and a hook at thread exit.
//
// Lists. A probe's ECBs are an immutable array behind one atomic pointer. Whoever changes it publishes a new array and waits until
// each ring that was claimed has been given back once; then nobody looks at the old one. So publish() returning is what
// "the probe fires no more" means.
//
//   firing: the ring's ticket odd (seq_cst) ... load list ... even      publisher: store list (seq_cst), then load tickets
//
// Either the firing sees the new list, or the publisher sees the odd ticket and waits.
//
// (One exception to "allocates nothing": a ring that is full makes its writer try the record in memory of its own,
// which it allocates once.)
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "kmod/shared/dif.h"
#include "runtime/base/clock.h"
#include "runtime/base/ids.h"
#include "runtime/base/result.h"
#include "runtime/buffer/mapped_ring.h"
#include "runtime/firing/firing_loop.h"
#include "runtime/framework/provider.h"
#include "runtime/program/fire_program.h"

namespace sonde {

struct LocalEcb {
  uint32_t epid;
  std::shared_ptr<const FireProgram> program;
  static constexpr bool held = false;  ///< nobody waits for a body in the process that runs it

  sonde_dif_program view() const { return program->view(); }
};

/// What dtrace_probe() needs of a probe; never changes once published.
struct FireList {
  ProbeId probe;
  std::vector<LocalEcb> ecbs;  ///< by rising epid
  uint32_t wanted_args = 0;    ///< bit n: some program reads argument n
  const dtrace_pops_t* ops = nullptr;
  void* provider_arg = nullptr;
  void* parg = nullptr;
  int aframes = 0;
  const char* provider = "";  ///< its name, for messages

  /// Sets wanted_args from the programs.
  void note_arguments();
};

class LocalFiring {
 public:
  static constexpr unsigned kRings = 16;

  LocalFiring();
  ~LocalFiring();  ///< returns when no firing uses it
  LocalFiring(const LocalFiring&) = delete;
  LocalFiring& operator=(const LocalFiring&) = delete;

  /// Makes the rings, unless they are there. Errors: of the memory.
  Result<void> create_rings();
  void set_ring_bytes(uint64_t bytes);
  std::vector<const MappedRing*> rings() const;

  struct Change {
    ProbeId probe;
    std::unique_ptr<FireList> list;  ///< null: fires no more
  };
  /// Returns when no firing uses what was there before. Not from inside a firing.
  void publish(std::vector<Change> changes);

  /// Closed: dtrace_probe() does nothing; fire() still fires. Returns when no firing is under way that began before.
  void set_gate(bool open);

  enum class Origin { Provider, Consumer };
  /// A firing. Any thread. `when` 0: now. `whose` null: of the one that this thread acts on (living.h), if there is any.
  static void fire(ProbeId probe, const std::array<uint64_t, SONDE_DIF_ARGS>& args, Nanoseconds when, Origin origin,
                   LocalFiring* whose = nullptr);

  /// dtrace_getarg(): argument of the firing that this thread is in; 0 outside of one.
  static uint64_t argument(int number);

 private:
  struct Table;
  void fire_in(unsigned ring, ProbeId probe, const std::array<uint64_t, SONDE_DIF_ARGS>& args, Nanoseconds when);
  void run(unsigned ring, const FireList& list, const std::array<uint64_t, SONDE_DIF_ARGS>& args, Nanoseconds when);
  void count_drop(ProbeId probe);
  static void wait_for_firings();

  std::unique_ptr<Table> table_;
  std::atomic<bool> gate_{true};
  std::atomic<bool> ready_{false};  ///< the rings are there
  uint64_t ring_bytes_ = 4 << 20;
  std::vector<RingFile> rings_;    ///< those that firings claim, and one that only counts drops
  std::vector<FiringLoop> loops_;  ///< the same
  uint64_t generation_ = 0;
};

}  // namespace sonde
