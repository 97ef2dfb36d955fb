// SPDX-License-Identifier: GPL-3.0-or-later
// One poll for all that may happen in a run
//
//   watch(descriptor, ready)   the source has events, a signal has come, a line was typed, the reader of the output has gone
//   at(due, act)               the next drain, the next report of drops, the end of a chill()
//   turn()                     waits for the first of them, then acts on each that has come, in the order they were added
//
// Descriptors and times are asked for at each turn, and nobody takes one back: which ones count changes while a run goes on. The output goes to
// another file, the input ends, a script sets switchrate. To look at them is cheap beside the system call that follows.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/base/ids.h"

namespace sonde {

/// Context: one thread. What is added may refer to whatever outlives the loop.
class EventLoop {
 public:
  static constexpr Nanoseconds kNever = UINT64_MAX;

  /// `ready` is called when one of `events` (of poll(2)) has come, or POLLERR or POLLHUP. `descriptor`: -1, there is none now.
  void watch(
      std::function<int()> descriptor, short events, std::function<void()> ready = [] {});
  /// `act` is called when `due`, CLOCK_MONOTONIC, has passed. It sees to it that `due` is another time then.
  void at(
      std::function<Nanoseconds()> due, std::function<void()> act = [] {});
  /// The same, `period` nanoseconds after the last time, and from now on.
  void every(
      std::function<Nanoseconds()> period, std::function<void()> act = [] {});

  /// One wait, and what came of it. A signal ends the wait.
  void turn();

 private:
  struct Watched {
    std::function<int()> descriptor;
    short events;
    std::function<void()> ready;
  };
  struct Timed {
    std::function<Nanoseconds()> due;
    std::function<void()> act;
  };
  std::vector<Watched> watched_;
  std::vector<Timed> timed_;
};

}  // namespace sonde
