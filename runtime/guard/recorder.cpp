// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/recorder.h"

#include <poll.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace sonde::guard {
namespace {

constexpr int kPatienceMs = 100;

bool reader_gone(int socket) {
  pollfd entry{socket, POLLRDHUP, 0};
  return socket < 0 || (poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
}

void fetch_stack_arguments(FireContext& context) {
  Firing& firing = context.firing;
  firing.stack_arguments = false;
  if (context.regs == nullptr) return;
  constexpr size_t kInRegisters = machine::kRegisterArguments;
  read_for(context, machine::stack_arguments(*context.regs), firing.args.data() + kInRegisters,
           (SONDE_DIF_ARGS - kInRegisters) * sizeof(uint64_t));
}

}  // namespace

Result<int> Recorder::create(uint64_t bytes) {
  if (loop_) return Error("there are buffers already", EEXIST);
  auto made = create_ring_memfd(bytes);
  if (!made) return std::move(made).error();
  ring_ = std::move(*made);
  loop_.emplace(ring_.ring);
  std::atomic_ref(ring_.ring->events).store(events_, std::memory_order_relaxed);
  return ring_.fd.get();
}

/// The next record's head, which is stored with release, publishes it.
void Recorder::count_event() {
  events_++;
  if (loop_) std::atomic_ref(ring_.ring->events).store(events_, std::memory_order_relaxed);
}

template <typename Test>
bool Recorder::any_ecb(uint32_t probe, Test test) const {
  const EcbTable::Ecbs* ecbs = ecbs_.of(probe);
  return ecbs != nullptr && std::any_of(ecbs->begin(), ecbs->end(), test);
}

bool Recorder::holds(uint32_t probe) const {
  return any_ecb(probe, [](const ArmedEcb& ecb) { return ecb.held; });
}

bool Recorder::reads_memory(uint32_t probe) const {
  constexpr uint32_t kOfStack = 1u << SONDE_DIF_VAR_UCALLER | 1u << SONDE_DIF_VAR_USTACKDEPTH;
  return any_ecb(probe, [](const ArmedEcb& ecb) {
    const sonde_needs& needs = ecb.program->needs;
    return needs.frames != 0 || (needs.variables & kOfStack) != 0 || (needs.ready & SONDE_NEED_USER) != 0;
  });
}

void Recorder::count_lost(uint32_t probe, uint64_t firings) {
  const EcbTable::Ecbs* ecbs = loop_ ? ecbs_.of(probe) : nullptr;
  if (ecbs != nullptr) loop_->writer().count_drops(firings * ecbs->size());
}

uint64_t Recorder::room() const {
  const uint64_t head = std::atomic_ref<uint64_t>(ring_.ring->head).load(std::memory_order_relaxed);
  const uint64_t tail = std::atomic_ref<uint64_t>(ring_.ring->tail).load(std::memory_order_acquire);
  const uint64_t size = ring_.ring.data_bytes(), used = head - tail;
  return used > size ? 0 : size - used;
}

void Recorder::wait_for_room(uint64_t bytes) {
  // A record does not wrap around: in the worst case padding takes as much again.
  const uint64_t wanted = std::min(2 * bytes, ring_.ring.data_bytes() / 2);
  while (room() < wanted && patience_ms_ > 0) {
    const uint64_t tail = std::atomic_ref<uint64_t>(ring_.ring->tail).load(std::memory_order_relaxed);
    if (tail == gave_up_at_ || reader_gone(reader_)) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
    if (--patience_ms_ == 0) gave_up_at_ = tail;
  }
}

Recorder::Outcome Recorder::run(Thread& thread, Firing& firing, machine::Registers* regs) {
  const EcbTable::Ecbs* ecbs = loop_ ? ecbs_.of(firing.probe) : nullptr;
  if (ecbs == nullptr) return Outcome::Done;
  FireContext context{thread, firing, regs};
  context.may_wait = regs != nullptr && firing.stack == nullptr;  // a thread that was sampled runs on
  decltype(thread.variables) variables;
  decltype(firing.locals) locals;
  bool stack_arguments = false;
  char name[16] = "";
  bool named = false;
  patience_ms_ = kPatienceMs;
  const auto prepare = [&](const ArmedEcb& ecb) {
    const sonde_needs& needs = ecb.program->needs;
    variables = thread.variables;
    locals = firing.locals;
    stack_arguments = firing.stack_arguments;
    firing.lacking = {};
    if (needs.execname != 0 && !std::exchange(named, true)) read_execname(thread, name);
    if ((needs.ready & SONDE_NEED_STACK_ARGS) != 0 && firing.stack_arguments) fetch_stack_arguments(context);
    wait_for_room(ecb.view().record_max);
    const bool reads_cpu = (needs.variables >> SONDE_DIF_VAR_CPU & 1) != 0;
    return reads_cpu ? static_cast<uint32_t>(cpu_of(context)) : static_cast<uint32_t>(sched_getcpu());
  };
  const FiringThread who{static_cast<uint32_t>(thread.process->pid), static_cast<uint32_t>(thread.tid),
                         regs != nullptr};
  const sonde_dif_firing seen{&kPtraceEnv, &context, firing.args.data(), firing.locals.data(), thread.variables.data(),
                              name};
  const auto lacks = [&] {
    if (firing.lacking.length == 0) return false;
    thread.variables = variables;  // it will run again
    firing.locals = locals;
    firing.stack_arguments = stack_arguments;
    return true;
  };
  return loop_->run(firing, *ecbs, who, seen, prepare, lacks);
}

}  // namespace sonde::guard
