// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/profile/tick_timer.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>

#include "runtime/base/thread.h"

namespace sonde {
namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

uint64_t now_ns() { return static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now().time_since_epoch()).count()); }

}  // namespace

void TickTimer::add(dtrace_id_t probe, uint64_t period, const std::atomic<bool>* suspended) {
  std::lock_guard lock(mutex_);
  ticks_.push_back({probe, period, now_ns() + period, suspended});
  if (!thread_.joinable()) thread_ = start_thread([this] { run(); });
  changed_.notify_one();
}

void TickTimer::remove(dtrace_id_t probe) {
  std::lock_guard lock(mutex_);
  std::erase_if(ticks_, [&](const Tick& tick) { return tick.probe == probe; });
}

void TickTimer::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    ticks_.clear();
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  stopping_ = false;
}

void TickTimer::run() {
  pthread_setname_np(pthread_self(), "sonde-tick");
  prctl(PR_SET_TIMERSLACK, 1UL);
  if (cpu_ >= 0) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu_, &only);
    sched_setaffinity(0, sizeof only, &only);
  }
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const uint64_t next = fire_due(now_ns());
    if (next == UINT64_MAX) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, Clock::time_point(std::chrono::nanoseconds(next)));
    }
  }
}

namespace {

/// The program counter of a tick: in sonde itself.
uintptr_t here() { return reinterpret_cast<uintptr_t>(__builtin_return_address(0)); }

}  // namespace

/// Fires what is due; returns the time of the next tick.
uint64_t TickTimer::fire_due(uint64_t now) {
  uint64_t next = UINT64_MAX;
  for (Tick& tick : ticks_) {
    if (tick.next <= now) {
      if (!*tick.suspended) dtrace_probe(tick.probe, 0, here(), 0, 0, 0);
      tick.next += ((now - tick.next) / tick.period + 1) * tick.period;
    }
    next = std::min(next, tick.next);
  }
  return next;
}

}  // namespace sonde
