// SPDX-License-Identifier: GPL-3.0-or-later
// Runs somebody else's code in a child process first
//
//   parent                          child (a process group of its own, ends with us, no core, quiet)
//   Trial trial(act) ──── fork ───► act(progress): progress.doing("dtps_provide") ... progress.fail("...")
//   trial.verdict(deadline) ◄────── a page of shared memory, and how the child has ended
//
// Whatever the code does there, the parent gets one sentence and goes on. The page holds what the child is doing, so
// that a crash can be blamed on it. We refused a pipe: a child of the child would keep it open.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde {

/// The child's side of the shared page.
class Progress {
 public:
  /// Records the next step, such as "dtps_provide". Any thread.
  void doing(const std::string& what);
  /// Ends the child with `why` as the verdict. Any thread.
  [[noreturn]] void fail(const std::string& why);

 private:
  friend class Trial;
  char doing_[160];
  char fault_[2000];
  bool done_;
};

class Trial {
 public:
  using Act = std::function<void(Progress&)>;
  using Clock = std::chrono::steady_clock;

  /// How long a child may take: its processor time, and the time that it sleeps. What a machine under load makes it wait
  /// for a processor does not count: that is where people trace. `wall` ends what neither of them does.
  struct Patience {
    std::chrono::milliseconds processor{5000}, asleep{30000}, wall{300000};
  };

  enum class Voice { Quiet, Heard };  ///< Heard: the child's standard output and error are ours
  /// Starts the child. Errors: no memory, no process.
  static Result<Trial> begin(const Act& act, Voice voice);
  Trial(Trial&& other) noexcept;
  Trial& operator=(Trial&&) = delete;
  ~Trial();

  /// Waits until the child has ended, and kills it when `patience`, counted from its start, is over. Returns what is
  /// wrong with it; empty: nothing.
  std::string verdict(const Patience& patience);
  /// After verdict(): whether patience has ended.
  bool took_too_long() const { return took_too_long_; }

 private:
  Trial(Progress* progress, pid_t child, UniqueFd ended)
      : progress_(progress), child_(child), ended_(std::move(ended)) {}

  /// Waits as verdict() says. Returns what took too long; empty: the child has ended.
  std::string wait(const Patience& patience);
  bool sleeps() const;

  Progress* progress_;
  pid_t child_;
  Clock::time_point began_ = Clock::now();
  bool took_too_long_ = false;
  UniqueFd ended_;  ///< readable once the child has ended
};

}  // namespace sonde
