// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/recorder.h"

#include <poll.h>
#include <sched.h>
#include <time.h>

#include <atomic>

namespace sonde::guard {
namespace {

constexpr int kPatienceMs = 100;

Nanoseconds now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Nanoseconds>(time.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(time.tv_nsec);
}

bool reader_gone(int socket) {
  pollfd entry{socket, POLLRDHUP, 0};
  return socket < 0 || (poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
}

void fetch_stack_arguments(const FireContext& context) {
  Firing& firing = context.firing;
  firing.stack_arguments = false;
  if (context.regs == nullptr) return;
  constexpr size_t kInRegisters = machine::kRegisterArguments;
  read_target(context.thread, machine::stack_arguments(*context.regs), firing.args.data() + kInRegisters,
              (SONDE_DIF_ARGS - kInRegisters) * sizeof(uint64_t));
}

}  // namespace

Result<int> Recorder::create(uint64_t bytes) {
  if (writer_) return Error("there are buffers already", EEXIST);
  auto made = create_ring_memfd(bytes);
  if (!made) return std::move(made).error();
  ring_ = std::move(*made);
  writer_.emplace(ring_.ring);
  return ring_.fd.get();
}

uint64_t Recorder::room() const {
  const uint64_t head = std::atomic_ref<uint64_t>(ring_.ring->head).load(std::memory_order_relaxed);
  const uint64_t tail = std::atomic_ref<uint64_t>(ring_.ring->tail).load(std::memory_order_acquire);
  const uint64_t size = ring_.ring.data_bytes(), used = head - tail;
  return used > size ? 0 : size - used;
}

void Recorder::wait_for_room(uint64_t bytes) {
  // A record does not wrap: in the worst case as much again is padding.
  const uint64_t wanted = std::min(2 * bytes, ring_.ring.data_bytes() / 2);
  while (room() < wanted && patience_ms_ > 0) {
    const uint64_t tail = std::atomic_ref<uint64_t>(ring_.ring->tail).load(std::memory_order_relaxed);
    if (tail == gave_up_at_ || reader_gone(reader_)) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
    if (--patience_ms_ == 0) gave_up_at_ = tail;
  }
}

/// Whether the thread must be held now.
bool Recorder::run_ecb(FireContext& context, const ArmedEcb& ecb, const char* name) {
  const LoadedProgram& program = *ecb.program;
  Firing& firing = context.firing;
  if ((program.needs.ready & SONDE_NEED_STACK_ARGS) != 0 && firing.stack_arguments) fetch_stack_arguments(context);
  wait_for_room(program.code.view.record_max);
  sonde_record* record = writer_->reserve(program.code.view.record_max);
  record->epid = ecb.epid;
  record->probe = firing.probe;
  record->timestamp = firing.timestamp;
  record->pid = static_cast<uint32_t>(context.thread.process->pid);
  record->tid = static_cast<uint32_t>(context.thread.tid);
  const bool reads_cpu = (program.needs.variables >> SONDE_DIF_VAR_CPU & 1) != 0;
  record->cpu = reads_cpu ? static_cast<uint32_t>(cpu_of(context)) : static_cast<uint32_t>(sched_getcpu());
  record->sequence = firing.sequence;
  const sonde_dif_firing view{
      &kPtraceEnv, &context, firing.args.data(), firing.locals.data(), context.thread.variables.data(), name};
  firings_++;
  const uint32_t size = sonde_dif_run(&program.code.view, &view, record);
  const bool held = ecb.held && size > 0 && context.regs != nullptr;
  if (held) record->flags |= SONDE_RECORD_HELD;
  return writer_->commit(size) && held;
}

Recorder::Outcome Recorder::run(Thread& thread, Firing& firing, machine::Registers* regs) {
  const EcbTable::Ecbs* ecbs = writer_ ? ecbs_.of(firing.probe) : nullptr;
  if (ecbs == nullptr) return Outcome::Done;
  FireContext context{thread, firing, regs};
  writer_->begin_firing(now());
  if (!firing.begun) {
    firing.begun = true;
    if (firing.timestamp == 0) firing.timestamp = now();
    firing.sequence = ++sequence_;
  }
  char name[16] = "";
  bool named = false;
  patience_ms_ = kPatienceMs;
  Outcome outcome = Outcome::Done;
  for (const ArmedEcb& ecb : *ecbs) {
    if (ecb.epid <= firing.last_epid) continue;
    if (outcome == Outcome::Held) break;
    if (ecb.program->needs.execname != 0 && !named) {
      read_execname(thread, name);
      named = true;
    }
    firing.last_epid = ecb.epid;
    if (run_ecb(context, ecb, name)) outcome = Outcome::Held;
  }
  writer_->end_firing();
  return outcome;
}

}  // namespace sonde::guard
