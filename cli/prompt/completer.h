// SPDX-License-Identifier: GPL-3.0-or-later
// What Tab offers at the prompt
//
//   the line before the cursor --> where are we? --> candidates, with a note on each
//     :com|                            a command
//     :print @|  :help |  :target |    what the command takes
//     syscall::op|                     a field of a description: what probes have there
//     ... { cop|                       in a predicate or a body: variables, functions, aggregations
//     ... { curpsinfo->pr_|            members, by the compiler's types
//
// Nothing here knows readline. A candidate takes the place of the last word, which begins behind the last of `breaks`.
// 100,000 probes may have 100,000 names: only the first kMost of them become candidates.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/prompt/processes.h"
#include "runtime/framework/probe_index.h"

namespace sonde {

struct Candidates {
  static constexpr size_t kMost = 40;

  std::vector<Candidate> first;  ///< sorted, none twice, at most kMost
  size_t total = 0;              ///< how many there are
  std::string word;              ///< what takes the place of the last word: what all begin with
  char behind = ' ';             ///< typed behind the only one; 0: nothing
  bool files = false;            ///< a path stands here, which the terminal's library completes
  const char* breaks = "";       ///< the characters that end a word where the text ends
};

/// What the completer asks of the run.
struct Completable {
  /// What the probes that match the description have in a field.
  std::function<std::vector<NameCount>(const std::string& description, ProbeIndex::Field field)> probes;
  /// The modules of the process that a provider is of: pid42, pid$target.
  std::function<std::vector<Candidate>(const std::string& provider)> modules;
  /// What may stand behind the last "." or "->" of a text, with its type.
  std::function<std::vector<Candidate>(const std::string& text)> members;
  std::function<std::vector<Candidate>()> globals;         ///< variables and inlines of texts, with their types
  std::function<std::vector<std::string>()> aggregations;  ///< names without @
  std::function<std::vector<Candidate>()> clauses;         ///< their numbers and texts
  std::function<std::vector<Candidate>()> targets;         ///< their names and command lines
};

/// `text`: all of the entry before the cursor, also of the lines before.
Candidates complete(std::string_view text, const Completable& run);

/// "1 probe", "2 probes"
std::string probes_text(size_t count);

}  // namespace sonde
