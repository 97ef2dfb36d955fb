// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words.h"

#include <algorithm>
#include <utility>

#include "cli/built_in.h"
#include "cli/options_table.h"
#include "cli/tools/tools.h"
#include "runtime/base/suggest.h"

namespace sonde {

Result<std::vector<std::string>> split_words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < command.size(); i++) {
    char c = command[i];
    bool escapes = quote != '\'' && c == '\\' && i + 1 < command.size() &&
                   (quote == 0 || command[i + 1] == '"' || command[i + 1] == '\\' || command[i + 1] == '$');
    if (escapes) {
      word += command[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return Error(std::string("missing closing ") + quote + " in command: " + std::string(command));
  if (in_word) words.push_back(std::move(word));
  if (words.empty()) return Error("empty command");
  return words;
}

std::string hint_without_dashes(std::string_view word) {
  const bool is_option = std::ranges::find(kCommandLine, word, &CommandLineOption::name) != kCommandLine.end();
  return is_option && !word.empty() ? "did you mean --" + std::string(word) + "?" : "";
}

std::string hint_on_missing_program(std::string_view word) {
  constexpr std::pair<std::string_view, const char*> kOfOtherTools[] = {
      {"annotate", "sonde --format=svg -o FILE profile PROGRAM shows where a program spends its time"},
      {"b", "a function's entry is a probe: -n 'pid$target::NAME:entry { ustack(); }' -c PROGRAM"},
      {"break", "a function's entry is a probe: -n 'pid$target::NAME:entry { ustack(); }' -c PROGRAM"},
      {"calls", "--summary-sort-by=calls sorts the summary"},
      {"errors", "--summary-sort-by=errors sorts the summary"},
      {"name", "--summary-sort-by=name sorts the summary"},
      {"print", "-n 'BEGIN { trace(VALUE); exit(0); }' prints a value"},
      {"probe", "-n 'DESCRIPTION { ACTIONS }' enables probes"},
      {"record", "-o FILE keeps what is printed, --format=jsonl for programs"},
      {"report", "sonde --summary PROGRAM sums its calls"},
      {"run", "sonde PROGRAM ARGS traces a program"},
      {"sched", "as root sonde runqlat and sonde offcpu show the scheduler's waits"},
      {"shell", "sonde alone on a terminal is a prompt"},
      {"start", "sonde PROGRAM ARGS traces a program"},
      {"tools", "--help=tools lists sonde's tools"},
  };
  if (std::string hint = hint_without_dashes(word); !hint.empty()) return hint;
  if (!word.empty() && word.find_first_not_of("0123456789") == word.npos)
    return "a process has its number behind -p; a rate is in the probe: profile-" + std::string(word);
  for (const auto& [name, hint] : kOfOtherTools)
    if (word == name) return hint;
  Suggestion suggestion(word);
  for (const Subcommand& one : kSubcommands) suggestion.offer(one.name);
  const std::vector<Tool> tools = all_tools();
  for (const Tool& tool : tools) suggestion.offer(tool.name);
  if (const std::string lost = missing_tools();
      suggestion.hint().empty() && !lost.empty() && word.find('/') == word.npos)
    return "if it is a tool of sonde's: they are not in " + lost + "; SONDE_TOOL_PATH=FOLDER names another place";
  return suggestion.hint();
}

}  // namespace sonde
