// SPDX-License-Identifier: GPL-3.0-or-later
// One poll() for everything that may happen in a run
//
//   watch(descriptor, ready)   the source has events, a signal came, a line was typed, the output's reader is gone
//   at(due, act)               the next drain, the next report of drops, the end of a chill()
//   turn()                     waits for the first of them, then calls those that are ready, in order of addition
//
// watch() and at() get functions, which turn() asks for the current descriptor or time; nothing is ever removed. Both
// change while a run goes on: the output goes to another file, the input ends, a script sets switchrate. Asking is
// cheap beside the system call that follows.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/base/ids.h"

namespace sonde {

/// Context: one thread. What is added may refer to objects that outlive the loop.
class EventLoop {
 public:
  static constexpr Nanoseconds kNever = UINT64_MAX;

  /// `ready` is called when one of `events` (of poll(2)) has come, or POLLERR or POLLHUP. `descriptor` returns -1 while
  /// there is none.
  void watch(
      std::function<int()> descriptor, short events, std::function<void()> ready = [] {});
  /// `act` is called when `due`, CLOCK_MONOTONIC, has passed. It must change what `due` returns.
  void at(
      std::function<Nanoseconds()> due, std::function<void()> act = [] {});
  /// `act` is called every `period` nanoseconds, counted from now.
  void every(
      std::function<Nanoseconds()> period, std::function<void()> act = [] {});

  /// Waits once, and handles what has come. A signal ends the wait.
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
