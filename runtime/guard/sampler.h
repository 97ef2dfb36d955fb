// SPDX-License-Identifier: GPL-3.0-or-later
// profile-N: samples of what the targets' threads do
//
//   timer (each 1/N s) --> threads that have run for 1/N s since their last sample, and run now --> stop, fire, go on
//
// A kernel samples what each CPU does. From outside we cannot ask a CPU, but threads: one that computes all the time is
// sampled N times a second, one that computes half of it N/2 times, one that sleeps never; so samples count CPU time, as
// they do there. The time that a thread has run comes from its schedstat, which the kernel brings up to
// date every few ms only; what is due then is made good in the next periods, so that the sum is right. A
// thread is asked to stop when it is seen running, and stops where it is: a thread in a system call at the end of that.
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

  /// Timers for the taps that are armed, and no others.
  void taps_changed();
  /// The timers' descriptors, readable when one is due.
  const std::vector<int>& fds() const { return fds_; }
  /// A timer is due: `sample` is called for each thread whose turn it is. Other descriptors are nothing to it.
  void due(int fd, const std::function<void(Thread& thread, uint32_t tap)>& sample);

 private:
  struct Account {
    uint64_t seen = 0;  ///< its run time when it was last looked at, ns
    uint64_t owed = 0;  ///< run time that was not sampled yet
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
