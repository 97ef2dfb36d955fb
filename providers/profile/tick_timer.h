// SPDX-License-Identifier: GPL-3.0-or-later
// The thread behind tick probes
//
//   deadline = enabled + n * period, absolute: a late firing does not delay the next. Missed ticks (the machine was
//   suspended, the process stopped) are skipped, not made up for in a burst.
//
// The mutex is held while a probe fires, so once remove() has the mutex, the probe does not fire any more. Firing never
// blocks, so nobody waits for long.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/framework/provider.h"

namespace sonde {

class TickTimer {
 public:
  /// Fires only on that CPU; -1: wherever its thread runs.
  explicit TickTimer(int cpu = -1) : cpu_(cpu) {}
  ~TickTimer() { stop(); }

  /// From now on the probe fires every `period` ns, first after one period. Starts the thread if it is not running.
  void add(dtrace_id_t probe, uint64_t period, const std::atomic<bool>* suspended);
  /// When it returns, the probe does not fire any more.
  void remove(dtrace_id_t probe);
  /// Ends the thread.
  void stop();

 private:
  struct Tick {
    dtrace_id_t probe;
    uint64_t period;
    uint64_t next;
    const std::atomic<bool>* suspended;
  };
  void run();
  uint64_t fire_due(uint64_t now);

  const int cpu_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Tick> ticks_;
  std::thread thread_;
  bool stopping_ = false;
};

}  // namespace sonde
