// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/completer.h"

#include <dirent.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "cli/help.h"
#include "cli/prompt_commands.h"
#include "runtime/agg/functions.h"
#include "runtime/base/procfs.h"
#include "runtime/lang/functions.h"
#include "runtime/lang/variables.h"

namespace sonde {
namespace {

enum class Where : uint8_t { Description, Statement, Text };

/// Where the end of the text is: in a description, in a predicate or a body, or in a string or a comment.
Where where_ends(std::string_view text) {
  int depth = 0;
  bool predicate = false;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const size_t begin = i++;
      for (; i < text.size() && text[i] != text[begin]; i++) i += text[i] == '\\' ? 1 : 0;
      if (i >= text.size()) return Where::Text;
    } else if (text.substr(i, 2) == "/*") {
      const size_t end = text.find("*/", i + 2);
      if (end == text.npos) return Where::Text;
      i = end + 1;
    } else if (c == '{') {
      depth++;
      predicate = false;
    } else if (c == '}') {
      depth = std::max(depth - 1, 0);
    } else if (c == '/' && depth == 0) {  // in a path it stands behind another character of the description
      const bool begins = i == 0 || std::isspace(static_cast<unsigned char>(text[i - 1]));
      predicate = predicate ? false : begins;
    }
  }
  return depth > 0 || predicate ? Where::Statement : Where::Description;
}

/// The last word: what follows the last of `breaks`.
std::string_view last_word(std::string_view text, std::string_view breaks) {
  const size_t at = text.find_last_of(breaks);
  return at == text.npos ? text : text.substr(at + 1);
}

/// Sorts, and keeps those that begin with the word.
Candidates only(std::vector<Candidate> all, std::string_view word, char behind = ' ') {
  std::erase_if(all, [word](const Candidate& one) { return !one.text.starts_with(word); });
  std::ranges::sort(all);
  const auto same = std::ranges::unique(all, {}, &Candidate::text);
  all.erase(same.begin(), same.end());
  return {std::move(all), behind, false};
}

Candidates in_description(std::string_view text, const Completable& run) {
  const std::string_view whole = last_word(text, " \t\n,");
  std::vector<std::string> fields(1);
  for (const char c : whole) {
    if (c == ':')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  if (fields.size() > 4) return {};
  const size_t at = fields.size() - 1;
  const std::string word = fields[at];
  if (word.find_first_of("*?[$") != word.npos) return {};  // no candidate can take the place of a pattern
  fields[at] += '*';
  fields.resize(4);
  std::string description;
  for (const std::string& field : fields) description += (&field == fields.data() ? "" : ":") + field;
  std::vector<Candidate> all = run.probes(description, at);
  if (at == 1 && description.starts_with("pid")) all.push_back({"a.out", "the program itself"});
  Candidates found = only(std::move(all), word, at < 3 ? ':' : ' ');
  if (at != 0) return found;
  // A name alone is a description, too: BEGIN, tick-1s.
  const Candidates names = only(run.probes("dtrace:::" + word + "*", 3), word);
  if (found.all.empty()) return names;
  found.all.insert(found.all.end(), names.all.begin(), names.all.end());
  if (!names.all.empty()) found.behind = 0;
  std::ranges::sort(found.all);
  return found;
}

bool is_internal(std::string_view name) { return name.starts_with("__"); }

Candidates in_statement(std::string_view text, const Completable& run) {
  const std::string_view word = last_word(text, kWordBreaks);
  const std::string_view before = text.substr(0, text.size() - word.size());
  std::vector<Candidate> all;
  if (before.ends_with('@')) {
    for (const std::string& name : run.aggregations()) all.push_back({name, "an aggregation"});
    return only(std::move(all), word, 0);
  }
  const bool has_owner = before.ends_with("->") || before.ends_with('$') || before.ends_with('`');
  if (has_owner || word.find_first_of(".-") != word.npos) return {};
  const std::string_view statement = before.substr(std::min(before.size(), before.find_last_of(";{") + 1));
  if (statement.find('@') != statement.npos && statement.find('=') != statement.npos)
    for (const AggFunctionRow& row : kAggFunctions) all.push_back({std::string(row.name) + "(", std::string(row.doc)});
  for (const DVariable& row : kVariables)
    if (!is_internal(row.name)) all.push_back({std::string(row.name), std::string(row.doc)});
  for (const DFunction& row : kFunctions)
    if (!is_internal(row.name)) all.push_back({std::string(row.name) + "(", std::string(row.doc)});
  return only(std::move(all), word, 0);
}

/// The words of the program that the process runs, cut; empty: a thread of the kernel.
std::string command_line(const std::string& pid) {
  char text[64];
  const ssize_t got = read_proc(("/proc/" + pid + "/cmdline").c_str(), text, sizeof text);
  std::string line(text, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  std::ranges::replace(line, '\0', ' ');
  return line;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), closedir);
  while (const dirent* entry = opened == nullptr ? nullptr : readdir(opened.get())) names.emplace_back(entry->d_name);
  return names;
}

/// Processes by number, with their command lines; or programs of PATH.
Candidates target(std::string_view word) {
  std::vector<Candidate> all;
  if (word.find('/') != word.npos) return {{}, ' ', true};
  if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0]))) {
    for (const std::string& pid : names_in("/proc")) {
      if (!pid.starts_with(word) || !std::isdigit(static_cast<unsigned char>(pid[0]))) continue;
      const std::string line = command_line(pid);
      all.push_back({pid, line.empty() ? "a thread of the kernel" : line});
    }
    return only(std::move(all), word);
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    for (std::string& name : names_in(folder))
      if (name.starts_with(word) && name[0] != '.') all.push_back({std::move(name), folder});
  return only(std::move(all), word);
}

Candidates commands(std::string_view word) {
  std::vector<Candidate> all;
  for (const PromptCommandRow& row : kPromptCommands) all.push_back({std::string(row.name), std::string(row.sentence)});
  return only(std::move(all), word);
}

Candidates topics(std::string_view word) {
  std::vector<Candidate> all;
  for (const HelpTopic& topic : help_topics()) all.push_back({std::string(topic.name), std::string(topic.sentence)});
  return only(std::move(all), word);
}

/// Behind a command and a blank.
Candidates value_of(PromptCommand command, std::string_view rest, const Completable& run) {
  switch (command) {
    case PromptCommand::Target:
      if (rest.find(' ') != rest.npos) return {{}, ' ', true};
      return target(rest);
    case PromptCommand::Print: {
      std::vector<Candidate> all;
      for (const std::string& name : run.aggregations()) all.push_back({name, "an aggregation"});
      if (!rest.starts_with('@')) return {};
      return only(std::move(all), rest.substr(1));
    }
    case PromptCommand::Disable: return only(run.clauses(), rest);
    case PromptCommand::List: return in_description(rest, run);
    case PromptCommand::Help: return topics(rest);
    case PromptCommand::Clauses:
    case PromptCommand::Stop:
    case PromptCommand::Quit: return {};
  }
  return {};
}

}  // namespace

Candidates complete(std::string_view text, const Completable& run) {
  if (text.starts_with(':')) {
    const size_t blank = text.find(' ');
    if (blank == text.npos) return commands(text.substr(1));
    const PromptCommandRow* row = find_prompt_command(text.substr(1, blank - 1));
    return row == nullptr ? Candidates() : value_of(row->command, text.substr(blank + 1), run);
  }
  switch (where_ends(text)) {
    case Where::Description: return in_description(text, run);
    case Where::Statement: return in_statement(text, run);
    case Where::Text: return {};
  }
  return {};
}

}  // namespace sonde
