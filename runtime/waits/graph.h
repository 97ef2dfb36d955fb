// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits for whom, and who waits for ever
//
// A thread goes on once, of each of its sets, one thread goes on:
//
//   {a}            a holds the mutex                     {a, b}       either may write to the pipe
//   {a}, {b}       both must give up their file locks    {}           nobody is left who could
//
// judge() lets go on whoever does not wait, or whose wait may end in another way: a time-out, a signal handler, somebody
// outside, whatever is not known. Then those go on whose sets allow it, until nothing changes. Who is left waits for
// ever; those of them who wait for each other are a deadlock. So a thread that might be freed is never told as one that
// is not, and what is not known hides a deadlock, but makes none.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sonde {

struct Wait {
  std::string text;                          ///< "waits for ...": the predicate of a sentence about the thread
  std::vector<std::vector<uint32_t>> needs;  ///< sets of threads
  bool may_end = false;                      ///< without them
  bool timed = false;                        ///< it has a time-out; then it may end
  bool unknown_owner = false;                ///< nothing records who can end it
  std::string nature = {};                   ///< why so, if that is known: "a semaphore has no owner"
  bool follows = true;                       ///< those whom it needs are looked at, too
};

/// By thread; who is not in it does not wait.
using Waits = std::map<uint32_t, Wait>;

struct Judgement {
  /// Threads that wait for each other, each before the one that it waits for.
  std::vector<std::vector<uint32_t>> deadlocks;
  /// All who wait for ever: in a deadlock, behind one, or because nobody is left.
  std::set<uint32_t> stuck;
};

Judgement judge(const Waits& waits);

}  // namespace sonde
