// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/local_firing.h"

#include <sched.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "runtime/base/check.h"
#include "runtime/framework/context.h"
#include "runtime/framework/living.h"
#include "runtime/framework/self_env.h"

namespace sonde {
namespace {

/// One for each ring, shared by every LocalFiring there will ever be: odd while a firing owns the ring. They outlive
/// the LocalFirings, so a late firing finds no probe instead of freed memory.
struct alignas(64) Ticket {
  std::atomic<uint64_t> value{0};
};
Ticket g_tickets[LocalFiring::kRings];
constinit Living<LocalFiring> g_living;
std::atomic<uint32_t> g_next_ring{0};
std::atomic<uint64_t> g_generations{0};
std::atomic<uint32_t> g_overflowing{0};  ///< firings that found every ring taken and are counting the drop

/// Trivially constructible, so that a thread's first firing runs no constructor.
struct ThreadState {
  uint32_t first_ring;         ///< + 1; 0: not chosen yet
  const LocalArguments* args;  ///< of the firing whose dtps_getargval runs, inside of which none begins
  uint64_t generation;         ///< the LocalFiring that `variables` belong to
  uint64_t variables[SONDE_DIF_THREAD];
};
thread_local constinit ThreadState t_state{};

class RingClaim {
 public:
  RingClaim() {
    if (t_state.first_ring == 0) t_state.first_ring = g_next_ring.fetch_add(1) % LocalFiring::kRings + 1;
    for (unsigned i = 0; i < LocalFiring::kRings; i++) {
      const unsigned ring = (t_state.first_ring - 1 + i) % LocalFiring::kRings;
      uint64_t ticket = g_tickets[ring].value.load();
      if (ticket % 2 == 0 && g_tickets[ring].value.compare_exchange_strong(ticket, ticket + 1)) {
        ring_ = static_cast<int>(ring);
        return;
      }
    }
  }
  ~RingClaim() {
    if (ring_ >= 0) g_tickets[ring_].value.fetch_add(1);
  }
  RingClaim(const RingClaim&) = delete;
  RingClaim& operator=(const RingClaim&) = delete;

  int ring() const { return ring_; }  ///< -1: all rings are taken

 private:
  int ring_ = -1;
};

uint64_t* thread_variables(uint64_t generation) {
  if (t_state.generation != generation) {
    std::fill(std::begin(t_state.variables), std::end(t_state.variables), 0);
    t_state.generation = generation;
  }
  return t_state.variables;
}

}  // namespace

LocalArguments LocalArguments::of(std::span<const uint64_t> words, uint32_t texts) {
  LocalArguments all;
  all.count = static_cast<uint32_t>(words.size());
  for (size_t i = 0; i < words.size(); i++) {
    if ((texts >> i & 1) == 0)
      all.words[i] = words[i];
    else
      all.texts[i] = words[i] == 0 ? "" : reinterpret_cast<const char*>(words[i]);
  }
  return all;
}

void FireList::note_wishes() {
  wanted_args = 0;
  for (const LocalEcb& ecb : ecbs) {
    const sonde_dif_program program = ecb.view();
    wanted_args |= sonde_dif_needs(&program).arguments;
    urgent |= ecb.program->urgent;
  }
}

/// Lists by probe id, in two levels: the table grows while readers use it, so its parts must not move.
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
  g_living.add(this);
}

LocalFiring::~LocalFiring() {
  g_living.remove(this);
  wait_for_firings();
}

Result<void> LocalFiring::create_rings() {
  if (ready_.load()) return {};
  wake_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_) return Error::from_errno("make the buffers of local probes");
  for (unsigned i = 0; i <= kRings; i++) {
    auto ring = create_ring(i < kRings ? ring_bytes_ : kRingBytesMin, i);
    if (!ring) {
      rings_.clear();
      return std::move(ring).error().context("make the buffers of local probes");
    }
    rings_.push_back(*std::move(ring));
  }
  for (MappedRing& ring : rings_) loops_.emplace_back(ring);
  ready_.store(true);
  return {};
}

void LocalFiring::take_wake() {
  eventfd_t count = 0;
  (void)eventfd_read(wake_.get(), &count);
}

void LocalFiring::set_ring_bytes(uint64_t bytes) { ring_bytes_ = std::clamp(bytes, kRingBytesMin, kRingBytesMax); }

std::vector<const MappedRing*> LocalFiring::rings() const {
  std::vector<const MappedRing*> all;
  for (const MappedRing& ring : rings_) all.push_back(&ring);
  return all;
}

/// Returns when every ring that is claimed now has been given back.
void LocalFiring::wait_for_firings() {
  for (Ticket& ticket : g_tickets) {
    const uint64_t value = ticket.value.load();
    if (value % 2 == 0) continue;
    while (ticket.value.load() == value) sched_yield();
  }
  while (g_overflowing.load() != 0) sched_yield();
}

void LocalFiring::publish(std::vector<Change> changes) {
  std::vector<std::unique_ptr<FireList>> old;
  for (Change& change : changes) old.push_back(table_->exchange(change.probe, std::move(change.list)));
  wait_for_firings();
}

void LocalFiring::set_gate(bool open) {
  gate_.store(open);
  wait_for_firings();
}

void LocalFiring::fire(ProbeId probe, const LocalArguments& args, Nanoseconds when, Origin origin, LocalFiring* whose) {
  RingClaim claim;
  if (claim.ring() < 0) g_overflowing.fetch_add(1);
  LocalFiring* self = whose != nullptr ? whose : g_living.here();
  const bool fires = self != nullptr && self->ready_.load() && (origin == Origin::Consumer || self->gate_.load());
  if (fires && claim.ring() >= 0) self->fire_in(static_cast<unsigned>(claim.ring()), probe, args, when);
  if (fires && claim.ring() < 0) self->count_drop(probe);
  if (claim.ring() < 0) g_overflowing.fetch_sub(1);
}

/// Counts a firing that got no ring as a drop, even if its predicate would have refused it: no program can run without
/// a ring.
void LocalFiring::count_drop(ProbeId probe) {
  const FireList* list = table_->find(probe);
  if (list != nullptr) std::atomic_ref(rings_[kRings]->drops).fetch_add(list->ecbs.size());
}

void LocalFiring::fire_in(unsigned ring, ProbeId probe, const LocalArguments& args, Nanoseconds when) {
  const FireList* list = table_->find(probe);
  if (list == nullptr) return;
  LocalArguments own = args;
  for (uint32_t i = std::max(5u, args.count); list->ops->dtps_getargval != nullptr && i < SONDE_DIF_ARGS; i++) {
    if ((list->wanted_args >> i & 1) == 0) continue;
    run_op(ProviderOp::GetArgVal, list->owner, [&] {
      t_state.args = &own;
      own.words[i] =
          list->ops->dtps_getargval(list->provider_arg, probe.value, list->parg, static_cast<int>(i), list->aframes);
    });
  }
  t_state.args = nullptr;
  run(ring, *list, own, when);
}

void LocalFiring::run(unsigned ring, const FireList& list, const LocalArguments& args, Nanoseconds when) {
  SelfFiring self{{.probe = list.probe.value, .timestamp = when}, args.texts};
  if (list.ops->dtps_usermode != nullptr) {
    run_op(ProviderOp::UserMode, list.owner,
           [&] { self.user_mode = list.ops->dtps_usermode(list.provider_arg, list.probe.value, list.parg) != 0; });
  }
  uint64_t locals[SONDE_DIF_LOCALS] = {};
  const sonde_dif_firing seen{&self_env(),    &self, args.words.data(), locals, thread_variables(generation_),
                              self_execname()};
  const auto cpu = static_cast<uint32_t>(std::max(sched_getcpu(), 0));
  const uint64_t head = rings_[ring]->head;
  loops_[ring].run(self, list.ecbs, {self_pid(), self_tid(), false}, seen, [cpu](const LocalEcb&) { return cpu; });
  if (list.urgent && rings_[ring]->head != head) (void)eventfd_write(wake_.get(), 1);
}

uint64_t LocalFiring::argument(int number) {
  if (t_state.args == nullptr || number < 0 || number >= static_cast<int>(SONDE_DIF_ARGS)) return 0;
  return t_state.args->words[static_cast<size_t>(number)];
}

}  // namespace sonde
