// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/local_firing.h"

#include <sched.h>
#include <time.h>

#include <algorithm>

#include "runtime/base/check.h"
#include "runtime/framework/context.h"
#include "runtime/framework/self_env.h"

namespace sonde {
namespace {

using Arguments = std::array<uint64_t, SONDE_DIF_ARGS>;

/// Odd: a firing owns the lane. Lanes outlive every LocalFiring, so a late firing finds nothing, not garbage.
struct alignas(64) Lane {
  std::atomic<uint64_t> ticket{0};
};
Lane g_lanes[LocalFiring::kLanes];
std::atomic<LocalFiring*> g_current{nullptr};
std::atomic<uint32_t> g_next_lane{0};
std::atomic<uint64_t> g_generations{0};
std::atomic<uint32_t> g_overflowing{0};  ///< firings that found every lane taken, and are counting that

/// Plain data, so that a thread's first firing needs no constructor.
struct ThreadState {
  uint32_t first_lane;    ///< + 1; 0: not chosen yet
  const Arguments* args;  ///< of the firing under way
  uint64_t generation;    ///< the LocalFiring that `variables` belong to
  uint64_t variables[SONDE_DIF_THREAD];
};
thread_local constinit ThreadState t_state{};

class LaneClaim {
 public:
  LaneClaim() {
    if (t_state.first_lane == 0) t_state.first_lane = g_next_lane.fetch_add(1) % LocalFiring::kLanes + 1;
    for (unsigned i = 0; i < LocalFiring::kLanes; i++) {
      const unsigned lane = (t_state.first_lane - 1 + i) % LocalFiring::kLanes;
      uint64_t ticket = g_lanes[lane].ticket.load();
      if (ticket % 2 == 0 && g_lanes[lane].ticket.compare_exchange_strong(ticket, ticket + 1)) {
        lane_ = static_cast<int>(lane);
        return;
      }
    }
  }
  ~LaneClaim() {
    if (lane_ >= 0) g_lanes[lane_].ticket.fetch_add(1);
  }
  LaneClaim(const LaneClaim&) = delete;
  LaneClaim& operator=(const LaneClaim&) = delete;

  int lane() const { return lane_; }  ///< -1: all are taken

 private:
  int lane_ = -1;
};

uint64_t* thread_variables(uint64_t generation) {
  if (t_state.generation != generation) {
    std::fill(std::begin(t_state.variables), std::end(t_state.variables), 0);
    t_state.generation = generation;
  }
  return t_state.variables;
}

}  // namespace

void FireList::note_arguments() {
  wanted_args = 0;
  for (const LocalEcb& ecb : ecbs) {
    const sonde_dif_program program = ecb.program->view();
    wanted_args |= sonde_dif_needs(&program).arguments;
  }
}

/// Lists by probe id, in two levels: the table grows while readers use it, so nothing in it may move.
struct LocalFiring::Table {
  static constexpr uint32_t kChunk = 4096, kChunks = 4096;
  using Chunk = std::array<std::atomic<FireList*>, kChunk>;
  std::array<std::atomic<Chunk*>, kChunks> chunks{};

  ~Table() {
    for (auto& slot : chunks) {
      Chunk* chunk = slot.load();
      if (chunk == nullptr) continue;
      for (auto& list : *chunk) delete list.load();
      delete chunk;
    }
  }

  FireList* find(ProbeId probe) const {
    const uint32_t at = probe.value / kChunk;
    const Chunk* chunk = at < kChunks ? chunks[at].load(std::memory_order_acquire) : nullptr;
    return chunk == nullptr ? nullptr : (*chunk)[probe.value % kChunk].load();
  }

  std::unique_ptr<FireList> exchange(ProbeId probe, std::unique_ptr<FireList> list) {
    const uint32_t at = probe.value / kChunk;
    SONDE_CHECK(at < kChunks);
    Chunk* chunk = chunks[at].load();
    if (chunk == nullptr) {
      if (list == nullptr) return nullptr;
      chunk = new Chunk{};
      chunks[at].store(chunk, std::memory_order_release);
    }
    return std::unique_ptr<FireList>((*chunk)[probe.value % kChunk].exchange(list.release()));
  }
};

LocalFiring::LocalFiring() : table_(std::make_unique<Table>()), generation_(g_generations.fetch_add(1) + 1) {
  prepare_self_env();
  LocalFiring* nobody = nullptr;
  SONDE_CHECK(g_current.compare_exchange_strong(nobody, this));
}

LocalFiring::~LocalFiring() {
  g_current.store(nullptr);
  wait_for_lanes();
}

LocalFiring* LocalFiring::current() { return g_current.load(); }

Result<void> LocalFiring::create_rings() {
  if (ready_.load()) return {};
  for (unsigned i = 0; i <= kLanes; i++) {
    auto ring = create_ring_memfd(i < kLanes ? ring_bytes_ : kRingBytesMin, i);
    if (!ring) {
      rings_.clear();
      return std::move(ring).error().context("make the buffers of local probes");
    }
    rings_.push_back(*std::move(ring));
  }
  for (RingFile& file : rings_) {
    file.ring->low_water = SONDE_IDLE;
    writers_.emplace_back(file.ring);
  }
  ready_.store(true);
  return {};
}

void LocalFiring::set_ring_bytes(uint64_t bytes) { ring_bytes_ = std::clamp(bytes, kRingBytesMin, kRingBytesMax); }

std::vector<const MappedRing*> LocalFiring::rings() const {
  std::vector<const MappedRing*> all;
  for (const RingFile& file : rings_) all.push_back(&file.ring);
  return all;
}

/// Returns when each lane that is claimed now has been given back.
void LocalFiring::wait_for_lanes() {
  for (Lane& lane : g_lanes) {
    const uint64_t ticket = lane.ticket.load();
    if (ticket % 2 == 0) continue;
    while (lane.ticket.load() == ticket) sched_yield();
  }
  while (g_overflowing.load() != 0) sched_yield();
}

void LocalFiring::publish(std::vector<Change> changes) {
  std::vector<std::unique_ptr<FireList>> old;
  for (Change& change : changes) old.push_back(table_->exchange(change.probe, std::move(change.list)));
  wait_for_lanes();
}

void LocalFiring::set_gate(bool open) {
  gate_.store(open);
  wait_for_lanes();
}

void LocalFiring::fire(ProbeId probe, const Arguments& args, Nanoseconds when, Origin origin) {
  LaneClaim claim;
  if (claim.lane() < 0) g_overflowing.fetch_add(1);
  LocalFiring* self = g_current.load();
  const bool fires = self != nullptr && self->ready_.load() && (origin == Origin::Consumer || self->gate_.load());
  if (fires && claim.lane() >= 0) self->fire_in(static_cast<unsigned>(claim.lane()), probe, args, when);
  if (fires && claim.lane() < 0) self->count_drop(probe);
  if (claim.lane() < 0) g_overflowing.fetch_sub(1);
}

/// The records of a firing without a lane; also those that its filter would have refused, for nothing may run here.
void LocalFiring::count_drop(ProbeId probe) {
  const FireList* list = table_->find(probe);
  if (list != nullptr) std::atomic_ref(rings_[kLanes].ring->drops).fetch_add(list->ecbs.size());
}

void LocalFiring::fire_in(unsigned lane, ProbeId probe, const Arguments& args, Nanoseconds when) {
  const FireList* list = table_->find(probe);
  if (list == nullptr) return;
  const Arguments* outer = t_state.args;
  Arguments own = args;
  t_state.args = &own;
  for (uint32_t i = 5; list->ops->dtps_getargval != nullptr && i < SONDE_DIF_ARGS; i++) {
    if ((list->wanted_args >> i & 1) == 0) continue;
    OpScope scope(ProviderOp::GetArgVal, list->provider);
    own[i] = list->ops->dtps_getargval(list->provider_arg, probe.value, list->parg, static_cast<int>(i), list->aframes);
  }
  run(lane, *list, own, when);
  t_state.args = outer;
}

void LocalFiring::run(unsigned lane, const FireList& list, const Arguments& args, Nanoseconds when) {
  RingWriter& writer = writers_[lane];
  writer.begin_firing(monotonic_now());
  SelfThread thread{when != 0 ? when : monotonic_now(), list.probe, false};
  if (list.ops->dtps_usermode != nullptr) {
    OpScope scope(ProviderOp::UserMode, list.provider);
    thread.user_mode = list.ops->dtps_usermode(list.provider_arg, list.probe.value, list.parg) != 0;
  }
  uint64_t locals[SONDE_DIF_LOCALS] = {};
  const sonde_dif_firing firing{&self_env(),    &thread, args.data(), locals, thread_variables(generation_),
                                self_execname()};
  const uint32_t sequence = ++sequence_[lane];
  const auto cpu = static_cast<uint32_t>(std::max(sched_getcpu(), 0));
  for (const LocalEcb& ecb : list.ecbs) {
    const sonde_dif_program program = ecb.program->view();
    sonde_record* record = writer.reserve(program.record_max);
    record->epid = ecb.epid.value;
    record->probe = list.probe.value;
    record->timestamp = thread.timestamp;
    record->pid = self_pid();
    record->tid = self_tid();
    record->cpu = cpu;
    record->sequence = sequence;
    writer.commit(sonde_dif_run(&program, &firing, record));
  }
  writer.end_firing();
}

uint64_t LocalFiring::argument(int number) {
  if (t_state.args == nullptr || number < 0 || number >= static_cast<int>(SONDE_DIF_ARGS)) return 0;
  return (*t_state.args)[static_cast<size_t>(number)];
}

}  // namespace sonde
