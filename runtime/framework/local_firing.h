// SPDX-License-Identifier: GPL-3.0-or-later
// Probes that fire in sonde itself: dtrace_probe()
//
//   dtrace_probe(id, args) --> a ring, claimed by one exchange --> the probe's list of ECBs --> DIF --> the ring
//
// The firing side takes no lock, allocates nothing and never blocks. Two things make that possible.
//
// Rings. There are kRings of them, made when the first ECB of a local probe is added, not while a probe fires. A firing
// claims a ring for as long as it lasts. Each thread begins its search at another ring, so up to kRings threads do not
// collide. A ring's records are in order of time because one firing at a time owns it. When all rings are taken, the
// firing's records are dropped and counted. We refused one ring per thread for ever: it would need a list that grows,
// and a hook at thread exit.
//
// Lists. A probe's ECBs are an immutable array behind one atomic pointer. To change it, publish() stores a new array
// and waits until every ring that was claimed has been given back once; after that no firing uses the old array. So
// when publish() returns with an empty list, the probe does not fire any more.
//
//   firing: the ring's ticket odd (seq_cst) ... load list ... even      publisher: store list (seq_cst), then load tickets
//
// Either the firing sees the new list, or the publisher sees the odd ticket and waits.
//
// One exception to "allocates nothing": when a ring is full, its writer tries the record in scratch memory, which it
// allocates once.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "kmod/shared/dif.h"
#include "runtime/base/clock.h"
#include "runtime/base/ids.h"
#include "runtime/base/result.h"
#include "runtime/buffer/mapped_ring.h"
#include "runtime/firing/firing_loop.h"
#include "runtime/framework/op_scope.h"
#include "runtime/framework/provider.h"
#include "runtime/program/fire_program.h"

namespace sonde {

struct LocalEcb {
  uint32_t epid;
  std::shared_ptr<const FireProgram> program;
  static constexpr bool held = false;  ///< a firing here never waits for a body: the same process runs it

  sonde_dif_program view() const { return program->view(); }
};

/// What dtrace_probe() needs to know about a probe; immutable once published.
struct FireList {
  ProbeId probe;
  std::vector<LocalEcb> ecbs;  ///< by rising epid
  uint32_t wanted_args = 0;    ///< bit n: a program reads argument n
  bool urgent = false;         ///< a program's records are wanted at once
  const dtrace_pops_t* ops = nullptr;
  void* provider_arg = nullptr;
  void* parg = nullptr;
  int aframes = 0;
  OpOwner owner;  ///< for messages

  /// Computes wanted_args and urgent from the programs.
  void note_wishes();
};

/// The arguments of a firing.
struct LocalArguments {
  std::array<uint64_t, SONDE_DIF_ARGS> words{};  ///< of a text 0: scripts must not see our addresses
  std::array<const char*, SONDE_DIF_ARGS> texts{};
  uint32_t count = 0;  ///< how many were given

  /// At most ten words. Bit n of `texts`: the word is the address of a text; 0: "".
  static LocalArguments of(std::span<const uint64_t> words, uint32_t texts);
};

class LocalFiring {
 public:
  static constexpr unsigned kRings = 16;

  LocalFiring();
  ~LocalFiring();  ///< waits until no firing uses it
  LocalFiring(const LocalFiring&) = delete;
  LocalFiring& operator=(const LocalFiring&) = delete;

  /// Makes the rings, if they do not exist yet. Errors: out of memory.
  Result<void> create_rings();
  void set_ring_bytes(uint64_t bytes);
  std::vector<const MappedRing*> rings() const;
  /// Readable once a record is wanted at once; -1: there are no rings yet. take_wake() makes it wait again.
  int wake_fd() const { return wake_.get(); }
  void take_wake();

  struct Change {
    ProbeId probe;
    std::unique_ptr<FireList> list;  ///< null: the probe does not fire any more
  };
  /// Returns when no firing uses the previous lists. Not to be called from inside a firing.
  void publish(std::vector<Change> changes);

  /// While closed, dtrace_probe() does nothing; fire() still fires. Returns when all firings that began before have
  /// ended.
  void set_gate(bool open);

  enum class Origin { Provider, Consumer };
  /// Fires a probe. Any thread. `when` 0: now. `whose` null: the LocalFiring that this thread acts on (living.h), if
  /// any.
  static void fire(ProbeId probe, const LocalArguments& args, Nanoseconds when, Origin origin,
                   LocalFiring* whose = nullptr);

  /// dtrace_getarg(): an argument of this thread's current firing; 0 outside of a firing.
  static uint64_t argument(int number);

 private:
  struct Table;
  void fire_in(unsigned ring, ProbeId probe, const LocalArguments& args, Nanoseconds when);
  void run(unsigned ring, const FireList& list, const LocalArguments& args, Nanoseconds when);
  void count_drop(ProbeId probe);
  static void wait_for_firings();

  std::unique_ptr<Table> table_;
  std::atomic<bool> gate_{true};
  std::atomic<bool> ready_{false};  ///< the rings exist
  uint64_t ring_bytes_ = 4 << 20;
  std::vector<MappedRing> rings_;  ///< those that firings claim, and one that only counts drops
  std::vector<FiringLoop> loops_;  ///< one for each of rings_
  UniqueFd wake_;                  ///< an eventfd
  uint64_t generation_ = 0;
};

}  // namespace sonde
