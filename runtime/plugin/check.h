// SPDX-License-Identifier: GPL-3.0-or-later
// sonde --check-provider: a report on a plug-in, for its author
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/framework/framework.h"

namespace sonde {

/// What a check needs of the floors above: the built-in providers, a compiler, a source. Made in the child.
class CheckBench {
 public:
  virtual ~CheckBench() = default;

  virtual Framework& framework() = 0;
  /// Compiles D texts, each with its name for messages, and prints what is wrong. Returns the names of the wrong ones.
  virtual std::vector<std::string> wrong_texts(const std::vector<std::pair<std::string, std::string>>& texts) = 0;
  /// What is wrong with the description of args[index] of a probe; empty: nothing.
  virtual std::string wrong_argument(ProbeId probe, int index) = 0;

  /// Starts the command. From now on it is a target, which waits. `providers`: the plug-in's.
  virtual Result<void> hold(const std::vector<std::string>& command, const std::vector<std::string>& providers) = 0;
  /// The descriptions that the author asks for by -n. Errors: they do not compile, or match nothing.
  virtual Result<std::vector<ProbeDescription>> asked_for() = 0;
  /// What the command did while probes were enabled.
  struct Traced {
    int wait_status = 0;
    std::vector<uint32_t> enablings;  ///< not disabled yet
  };
  /// Enables the clause, lets the command run to its end, and calls `fired` for each record.
  virtual Result<Traced> trace(const Enabling& clause, const std::function<void(ProbeId, Epid)>& fired) = 0;
};

/// What is checked.
struct CheckRequest {
  std::string path;
  std::vector<std::string> command;  ///< makes probes fire; empty: they have half a second
  std::function<Result<std::unique_ptr<CheckBench>>()> bench;
};

/// Runs the plug-in through its whole life in a child, and prints what it has and does: its probes, their arguments and
/// taps, and how often they fire while the command runs, or for half a second. Checks the contract of provider.h on the
/// way. Returns 0 if nothing is wrong, else 1.
int check_plugin(const CheckRequest& request);

}  // namespace sonde
