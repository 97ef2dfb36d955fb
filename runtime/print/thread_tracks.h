// SPDX-License-Identifier: GPL-3.0-or-later
// What a timeline shows of threads: calls that lie in each other
//
//   track 0   [ main      [ read ]   [ write ] ]      a return ends the innermost call of its function,
//   track 1        [ open ]                           and the calls inside that one whose return was not seen
//
// A viewer needs slices that nest and times that do not go back. So a record that is older than what its thread's track
// has, as a speculation that is committed late, goes to a further track of the thread. Nothing that is on a track is
// looked at again: memory holds the open calls only.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/program/probes.h"

namespace sonde {

/// A call that has not returned.
struct OpenCall {
  const ProbeInfo* entry;
  std::string name;                 ///< as it is shown
  std::vector<std::string> keys{};  ///< of its arguments, for the printer
};

struct ThreadTrack {
  uint32_t pid, tid;
  uint32_t number;               ///< 0: the first of the thread
  uint64_t last = 0;             ///< time of the last event, ns
  uint64_t last_firing = 0;      ///< its firing
  std::vector<OpenCall> open{};  ///< the innermost last
  bool named = false;            ///< for the printer

  /// A thread's number for the viewer: pids are below 2^22.
  uint32_t shown_tid() const { return tid + number * 10'000'000; }
};

class ThreadTracks {
 public:
  enum class Kind : uint8_t { Begin, End, Instant };
  /// What an event is, and where it goes. Of Begin the call is the track's innermost; of End it has been taken off.
  struct Place {
    Kind kind;
    ThreadTrack* track;
    OpenCall call{};        ///< of End
    bool is_again = false;  ///< the firing has an event already: an instant adds to it
  };
  struct Thread {
    uint32_t pid = 0;
    std::string name;  ///< for the printer
    std::list<ThreadTrack> tracks{};
  };
  /// Ends a call whose return was not seen.
  using EndCall = std::function<void(const ThreadTrack&, const OpenCall&, uint64_t time, std::string_view why)>;

  explicit ThreadTracks(EndCall end_call) : end_call_(std::move(end_call)) {}

  /// The thread at `time`; another one may have had its number before.
  Thread& thread(uint32_t pid, uint32_t tid);
  Place place(Thread& thread, uint32_t tid, const ProbeInfo& probe, uint64_t time, uint64_t firing);
  /// Behind the event of a probe: ends the calls of threads that run nothing more.
  void end_behind(const ProbeInfo& probe, uint32_t pid, uint32_t tid, uint64_t time);
  void end_all(uint64_t time, std::string_view why);
  /// As if nothing had been.
  void forget() { threads_.clear(); }

 private:
  void end_from(ThreadTrack& track, size_t first, uint64_t time, std::string_view why);
  void end_thread(Thread& thread, uint64_t time, std::string_view why);
  ThreadTrack& track_at(Thread& thread, uint32_t tid, uint64_t time);

  EndCall end_call_;
  std::unordered_map<uint32_t, Thread> threads_;  ///< by tid
};

/// What a probe's call is called: its function, or where there are longer names, as function-entry, what is before the
/// "-entry". Of a probe that neither enters nor leaves: "read+1a", "signal:deliver".
std::string event_name(const ProbeInfo& probe);

}  // namespace sonde
