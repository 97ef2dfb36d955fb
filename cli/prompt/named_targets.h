// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"

namespace sonde {

/// The targets of a prompt, by name. Context: the session's thread.
class NamedTargets {
 public:
  struct Target {
    std::string name;
    std::vector<std::string> words;  ///< none: it was attached to
    uint32_t pid;
    bool own_terminal = false;
  };

  explicit NamedTargets(Session& session) : session_(session) {}

  /// "[-t] [NAME:] PROGRAM ARGS": starts it, with -t in a terminal of its own. Without a name it gets the program's; a name that lives already gets a number.
  /// Errors: the words'; those of starting it.
  Result<Target> start(const std::string& text);
  /// Starts the program of that name again, or, without a name, the last one. Errors: ENOENT, nothing was started so.
  Result<Target> start_again(std::string_view name);
  /// Errors: those of attaching.
  Result<Target> attach(uint32_t pid);
  /// "process 42 (redis)"
  std::string describe(uint32_t pid) const;
  /// A line for each that lives; empty: there is none.
  std::string listing() const;
  const std::vector<Target>& all() const { return all_; }

 private:
  Result<Target> start(std::string name, const std::vector<std::string>& words, bool own_terminal);
  std::string free_name(const std::string& name) const;
  bool lives(uint32_t pid) const;

  Session& session_;
  std::vector<Target> all_;  ///< also those that have ended; of several with one name the last counts
};

}  // namespace sonde
