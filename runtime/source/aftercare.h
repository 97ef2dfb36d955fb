// SPDX-License-Identifier: GPL-3.0-or-later
// What a guard that was killed has left in its targets, and nobody else takes back
//
// Breakpoints: a thread that meets one dies. Counters of tracers: the program works for nobody. The kernel detaches the
// targets when the guard dies, so they run on, and we race with their next hit: a program that hits rarely lives.
//
// Breakpoints are found, not remembered: in text of files, pages that the process has changed are compared with the file,
// and where only they have a breakpoint, the file's byte is put back. Nothing is written to a process that has another
// tracer, or uprobes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi/requests.h"

namespace sonde {

class Aftercare {
 public:
  void note_target(uint32_t pid) { targets_.insert(pid); }
  void note_armed(std::span<const Tap> taps);
  void note_disarmed(std::span<const TapId> taps);
  /// The guard is dead. Takes back what it can in the targets and their descendants, once. Returns what it did, in words;
  /// empty: there was nothing.
  std::string take_back();

 private:
  struct Counter {
    std::string path;
    uint64_t offset;
    auto operator<=>(const Counter&) const = default;
  };
  std::set<uint32_t> targets_;
  std::map<uint32_t, std::vector<Counter>> counters_;  ///< of armed taps that have some, by the tap
  bool done_ = false;
};

}  // namespace sonde
