// SPDX-License-Identifier: GPL-3.0-or-later
// What a guard that was killed has left in its targets, and nobody else takes back
//
// Breakpoints: a thread that meets one dies. Counters of tracers: the program works for nobody. The kernel detaches the
// targets when the guard dies, so they run on, and we race with their next hit: a program that hits rarely lives.
//
// Breakpoints are found, not remembered: in text of files, pages that the process has changed are compared with the file,
// and where only they have a breakpoint, the file's byte is put back. Nothing is written to a process that has another
// tracer, or uprobes, and to none that the taps do not cover.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi/requests.h"
#include "runtime/process/proc_maps.h"

namespace sonde {

class Aftercare {
 public:
  void note_target(uint32_t pid);
  void note_armed(std::span<const Tap> taps);
  void note_disarmed(std::span<const TapId> taps);
  /// The guard is dead. Takes back what it can in the targets and their descendants, once. Returns what it did, in words;
  /// empty: there was nothing.
  std::string take_back();

 private:
  struct Counter {
    FileId file;
    uint64_t offset;
    uint32_t pid;  ///< it was raised there; 0: in all targets and their children
    bool forks;    ///< and in the children of `pid`
    auto operator<=>(const Counter&) const = default;
  };
  std::map<uint32_t, uint64_t> targets_;               ///< by pid: when it began, because a pid is used again
  std::map<uint32_t, std::vector<Counter>> counters_;  ///< of armed taps that have some, by the tap
  bool done_ = false;
};

}  // namespace sonde
