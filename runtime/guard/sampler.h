// SPDX-License-Identifier: GPL-3.0-or-later
// profile-N: samples of what the targets' threads do
//
//   timer (each 1/N s) --> threads that have run for 1/N s since their last sample, and run now --> stop, fire, go on
//
// A kernel samples what each CPU does. From user space we cannot ask a CPU, only threads: one that computes all the
// time is sampled N times a second, one that computes half of the time N/2 times, one that sleeps never. So samples
// count CPU time, as a kernel's do. The run time of a thread comes from its schedstat, which the kernel updates only
// every few ms; samples that are overdue are taken in the next periods, so the total is right. A thread that is found
// running is asked to stop, and stops where it is, or at the end of the system call that it is in.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/guard/taps.h"
#include "runtime/guard/targets.h"

namespace sonde::guard {

class Sampler {
 public:
  Sampler(Targets& targets, const TapTable& taps) : targets_(targets), taps_(taps) {}

  /// Makes a timer for each armed tap, and removes the others.
  void taps_changed();
  /// The timers' descriptors, readable when one is due.
  const std::vector<int>& fds() const { return fds_; }
  /// Handles a timer: calls `sample` for each thread that is due. Ignores other descriptors.
  void due(int fd, const std::function<void(Thread& thread, uint32_t tap)>& sample);

 private:
  struct Account {
    uint64_t seen = 0;  ///< its run time at the last check, ns
    uint64_t owed = 0;  ///< run time without a sample so far
    bool known = false;
  };
  struct Timer {
    uint32_t tap;
    uint64_t period;
    UniqueFd fd;
    std::unordered_map<pid_t, Account> accounts;  ///< by tid
  };
  bool owes_sample(Timer& timer, Thread& thread);

  Targets& targets_;
  const TapTable& taps_;
  std::vector<Timer> timers_;
  std::vector<int> fds_;
};

}  // namespace sonde::guard
