// SPDX-License-Identifier: GPL-3.0-or-later
// profile-N: samples of what the targets' threads do
//
//   a clock for each thread (perf_clock.h) ticks --> fire, with the sample's registers and stack; nobody is stopped
//   timer (each 1/N s) --> threads that owe a sample which no clock takes, and run now --> stop, fire, go on
//
// A kernel samples what each CPU does. From user space we cannot ask a CPU, only threads: one that computes all the
// time is sampled N times a second, one that computes half of the time N/2 times, one that sleeps never. So samples
// count CPU time, as a kernel's do.
//
// The timer serves threads for which the kernel permits no clock, and time in the kernel where it permits one for user
// code only. The run time of a thread comes from its schedstat, which the kernel updates only every few ms; samples
// that are overdue are taken in the next periods, so the total is right. A thread that is found running is asked to
// stop, and stops where it gets to. If a clock sees its user code, only a stop in a call is a sample.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/guard/perf_clock.h"
#include "runtime/guard/taps.h"
#include "runtime/guard/targets.h"

namespace sonde::guard {

class Sampler {
 public:
  struct Events {
    /// The clock of a thread has ticked.
    std::function<void(Thread& thread, uint32_t tap, const Sample& sample)> ticked;
    /// A thread without such a clock owes a sample: it must be stopped for it.
    std::function<void(Thread& thread, uint32_t tap)> owes;
    /// Whether a clause on the tap's probe reads memory, so that a sample needs a copy of the stack.
    std::function<bool(const ArmedTap& tap)> reads_memory;
    /// The kernel had no room for that many samples of a tap.
    std::function<void(uint32_t tap, uint64_t lost)> lost;
    /// What the user must know about the samples.
    std::function<void(const std::string& text)> notice;
  };
  Sampler(Targets& targets, const TapTable& taps, Events events);

  /// Makes a timer for each armed tap, and removes the others. Also called when the taps' clauses have changed.
  void taps_changed();
  /// A thread is born, or was attached to: starts its clocks.
  void adopt(Thread& thread);
  /// Fires what its clocks have taken so far: its memory is about to change, or to end.
  void settle(Thread& thread);
  void forget(pid_t tid);
  /// The descriptors to wait for, readable when something is due.
  const std::vector<int>& fds() const { return fds_; }
  /// Handles one that is readable. Ignores others.
  void due(int fd);
  /// Whether a stop of the thread, in a call or not, is a sample that it owes. If not, it goes on to owe it.
  bool accepts(const Thread& thread, uint32_t tap, bool in_call);

 private:
  struct Account {
    std::optional<PerfClock> clock;
    int64_t owed = 0;   ///< run time without a sample so far
    uint64_t seen = 0;  ///< its run time at the last check, ns
  };
  struct Timer {
    uint32_t tap;
    uint64_t period;
    bool stacks;  ///< its clocks copy stacks
    UniqueFd fd;
    std::unordered_map<pid_t, Account> accounts;  ///< by tid
  };
  void open_account(Timer& timer, Thread& thread);
  bool owes_sample(Timer& timer, Thread& thread);
  void tell_that_samples_lean();
  void drain(Timer& timer, Thread& thread);

  Targets& targets_;
  const TapTable& taps_;
  Events events_;
  UniqueFd ready_;  ///< an epoll of all clocks
  std::vector<Timer> timers_;
  std::vector<int> fds_;
  bool leans_ = false;  ///< the user knows
};

}  // namespace sonde::guard
