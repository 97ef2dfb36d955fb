// SPDX-License-Identifier: GPL-3.0-or-later
// A prompt that continues in another process: how :source changes the event source
//
//   prompt --> HandedOver --> memfd, SONDE_HANDED_OVER=FD --> exec of sonde itself --> prompt with the same clauses
//
// Framework, compiler and consumer are built upon an open source, and the guard can only be forked before any thread exists. So
// the command starts anew, in the same process, with the same words. What it would trace by these words it has been handed.
// We refused to exchange the source below a living framework: each probe would have to be armed anew, in another source's
// terms, while records of the old one are still being read.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

struct HandedOver {
  struct Clause {
    std::string text;
    bool enabled;
  };
  std::string source;                  ///< that is to be used
  std::string log;                     ///< of :log; empty: none
  std::string input;                   ///< lines that have been read and not carried out
  std::string failed;                  ///< not empty: something was wrong, so the status will be 1
  std::vector<std::string> providers;  ///< of :provider
  std::vector<std::pair<std::string, std::string>> settings;  ///< of :set
  std::vector<Clause> clauses;
  std::vector<std::string> terminals;  ///< of Relay::hand_over()

  std::string packed() const;
  /// Empty: the text was not packed by us.
  static std::optional<HandedOver> unpacked(const std::string& text);
};

/// Whether a sonde could use the source: tries it in another process. Errors: why not.
Result<void> try_source(const std::string& name);

/// Starts sonde anew in this process, with these words. Returns only if it fails.
Error hand_over(const HandedOver& what, std::vector<std::string> words);

/// What was handed to this process. Context: the start, before anything else reads the environment.
std::optional<HandedOver> take_handed_over();

}  // namespace sonde
