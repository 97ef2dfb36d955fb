// SPDX-License-Identifier: GPL-3.0-or-later
// What Tab offers at the prompt
//
//   the line before the cursor --> where are we? --> candidates, with a note on each
//     :com|                            a command
//     :print @|  :help |  :target |    what the command takes
//     syscall::op|                     a field of a description: what probes have there
//     ... { cop|                       in a predicate or a body: variables, functions, aggregations
//
// Nothing here knows readline. Words are split at kBreaks, so a candidate replaces the text from `begin` on.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// What ends a word of a D text or of a command.
inline constexpr char kWordBreaks[] = " \t\n:,;(){}[]@!$&|<>=+*/%^~?\"'`";

struct Candidate {
  std::string text;
  std::string note;  ///< a few words that explain it
  auto operator<=>(const Candidate&) const = default;
};

struct Candidates {
  std::vector<Candidate> all;  ///< sorted, none twice
  char behind = ' ';           ///< typed behind the only one; 0: nothing
  bool files = false;          ///< a path stands here, which the terminal's library completes
};

/// What the completer asks of the run.
struct Completable {
  /// What probes have in field `field` (0 provider ... 3 name) that match the description, with the number of them.
  std::function<std::vector<Candidate>(const std::string& description, size_t field)> probes;
  std::function<std::vector<std::string>()> aggregations;  ///< names without @
  std::function<std::vector<Candidate>()> clauses;         ///< their numbers and texts
};

/// `text`: all of the entry before the cursor, also of the lines before.
Candidates complete(std::string_view text, const Completable& run);

}  // namespace sonde
