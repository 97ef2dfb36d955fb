// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words.h"

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

}  // namespace sonde
