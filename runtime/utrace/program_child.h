// SPDX-License-Identifier: GPL-3.0-or-later
// A child that runs a program once it may go
//
//   parent                          child
//   fork -------------------------> its old signal dispositions and mask, prepare()
//   PTRACE_SEIZE, by who calls      read(go)
//   go() -------------------------> last(), the user, exec   (or errno through a close-on-exec pipe)
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/run_as.h"
#include "runtime/base/terminal_end.h"
#include "runtime/base/unique_fd.h"

namespace sonde {

/// The dispositions and the mask that this thread had when the object was made: what its programs begin with.
struct GivenSignals {
  GivenSignals();
  void restore() const;

  sigset_t mask, ignored;
};

/// The limit on open descriptors that this process had when the object was made, for the programs that it starts.
struct GivenLimit {
  GivenLimit();
  int restore() const;  ///< 0, or an errno
  /// Raises our own to the hard limit: a tracer needs descriptors for each of its targets.
  static void raise();

  rlimit descriptors{};
};

class ProgramChild {
 public:
  /// What the child does on its way: at once, and right before the exec. An errno of last() ends it.
  struct Steps {
    const GivenSignals& signals;
    std::function<void()> prepare = [] {};
    std::function<int()> last = [] { return 0; };  ///< as who we are, whoever `user` is
    std::optional<RunAs> user = {};
    std::optional<TerminalEnd> terminal = {};  ///< taken after prepare()
  };
  /// An empty environment is ours.
  static Result<ProgramChild> fork(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                                   const Steps& steps);

  pid_t pid() const { return pid_; }
  bool go() const { return write(go_.get(), "", 1) == 1; }
  void kill() const;
  /// Why it has ended before its exec.
  Error failure() const;

 private:
  ProgramChild(pid_t pid, std::string name, UniqueFd go, UniqueFd failure)
      : pid_(pid), name_(std::move(name)), go_(std::move(go)), failure_(std::move(failure)) {}

  pid_t pid_;
  std::string name_;
  UniqueFd go_, failure_;
};

}  // namespace sonde
