// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words.h"

#include <algorithm>
#include <utility>

#include "cli/built_in.h"
#include "cli/options_table.h"
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
      {"record", "-o FILE keeps what is printed, --format=jsonl for programs"},
      {"report", "sonde --summary PROGRAM sums its calls"},
      {"run", "sonde PROGRAM ARGS traces a program"},
      {"start", "sonde PROGRAM ARGS traces a program"},
  };
  if (std::string hint = hint_without_dashes(word); !hint.empty()) return hint;
  for (const auto& [name, hint] : kOfOtherTools)
    if (word == name) return hint;
  Suggestion suggestion(word);
  for (const Subcommand& one : kSubcommands) suggestion.offer(one.name);
  const std::vector<Tool> tools = all_tools();
  for (const Tool& tool : tools) suggestion.offer(tool.name);
  return suggestion.hint();
}

}  // namespace sonde
