// SPDX-License-Identifier: GPL-3.0-or-later
// The list of calls: what is traced when no script is given
//
//   --trace, --status, -P, -t, -T, -k ... --> CallList --calls_script()--> D
//
// What is chosen becomes descriptions and predicates, so that with -c only the chosen calls stop their threads. Only
// what a line shows is captured: without times and paths no entry is traced.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/call_set.h"
#include "runtime/base/look.h"

namespace sonde {

struct CallList {
  enum class Clock : uint8_t { None, TimeOfDay, Epoch };

  CallSet trace;
  bool successful = true, failed = true, unfinished = true;  ///< which ends of a call are shown
  std::vector<std::string> paths;  ///< only calls that name one of these, or have a descriptor that is open on one
  std::string signals = "all";     ///< as typed: names or numbers with commas, all, none, ! before them
  Clock clock = Clock::None;       ///< the time of a call's entry
  uint32_t clock_digits = 0;       ///< of its seconds' fraction, as the next two
  int32_t relative_digits = -1;    ///< since the entry of the call on the line before; -1: is not shown
  int32_t duration_digits = -1;    ///< from entry to return; -1: is not shown
  bool stacks = false;
  std::optional<bool> names;  ///< the program's name behind a thread's number
  bool several = false;       ///< there are several threads when it begins
  bool attaches = false;      ///< to a process that may have threads whose birth was not seen
  bool injects = false;       ///< a line says what was injected into its call
  bool timeline = false;      ///< for a printer of begins and ends: records both ends of a call, with values
  Look look = Look::plain();  ///< of what the lines go to
  bool units = false;         ///< times have a unit
  std::string separately;     ///< the lines of each thread go to THIS.TID; empty: they do not

  bool shows_times() const { return clock != Clock::None || relative_digits >= 0 || duration_digits >= 0; }
};

/// Where a call's paths and descriptors are, as bits of its arguments.
struct CallPlaces {
  uint8_t paths = 0, descriptors = 0;
  auto operator<=>(const CallPlaces&) const = default;
};
/// The calls of a set that have a path or a descriptor, by where these are.
std::map<CallPlaces, std::vector<std::string>> calls_with_places(const CallSet& calls);
/// "syscall::read:entry,\nsyscall::write:entry"; `names` empty: of every call.
std::string call_descriptions(const std::vector<std::string>& names, const char* side);

/// Clauses at the entries of calls that name one of `paths`; of all if there is none.
std::string entries_of(const CallSet& calls, const std::vector<std::string>& paths, const std::string& statements);
/// Without exit() and exit_group().
CallSet calls_that_return(CallSet calls);

/// The numbers of signals that CallList::signals names. Errors: a name that is none.
Result<std::vector<int>> parse_signals(std::string_view text);

/// Prints the chosen calls of the targets, one per line, and their signals and ends, in strace's style. A thread is
/// identified by its number while there are several. A line is printed at the return, when everything is known; a new
/// process's own return from fork is not a call of its own. A process ends with its last thread, the first thread with
/// its process.
std::string calls_script(const CallList& list);

/// Sums, for each stack, the time from the entries of the chosen calls to their returns. A thread's user stack at the
/// return is that of the entry, so it is walked once. A call that has not returned is not there.
std::string off_cpu_script(const CallList& list);

/// Options that the script needs; those of the command line override them.
inline constexpr std::pair<const char*, const char*> kCallsSettings[] = {
    {"quiet", ""}, {"evaltime", "exec"}, {"strsize", "4096"}, {"switchrate", "50ms"}};

}  // namespace sonde
