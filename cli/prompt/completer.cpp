// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/completer.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "cli/help.h"
#include "cli/prompt/commands.h"
#include "cli/prompt/processes.h"
#include "runtime/agg/functions.h"
#include "runtime/lang/functions.h"
#include "runtime/lang/options.h"
#include "runtime/lang/variables.h"

namespace sonde {
namespace {

enum class Where : uint8_t { Command, Description, Statement, Text };

constexpr char kCommandBreaks[] = " \t\n:@";
constexpr char kDescriptionBreaks[] = " \t\n:,";
constexpr char kStatementBreaks[] = " \t\n.:,;(){}[]@!$&|<>=+*/%^~?\"'`";

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

std::string common_beginning(std::string_view one, std::string_view other) {
  return {one.begin(), std::ranges::mismatch(one, other).in1};
}

/// Sorts, and keeps those that begin with the word.
Candidates only(std::vector<Candidate> all, std::string_view word, char behind = ' ') {
  std::erase_if(all, [word](const Candidate& one) { return !one.text.starts_with(word); });
  std::ranges::sort(all, {}, &Candidate::text);
  const auto same = std::ranges::unique(all, {}, &Candidate::text);
  all.erase(same.begin(), same.end());
  if (all.empty()) return {};
  const size_t total = all.size();
  std::string begin = common_beginning(all.front().text, all.back().text);  // these differ first
  if (total > Candidates::kMost) all.resize(Candidates::kMost);
  return {std::move(all), total, std::move(begin), behind};
}

constexpr auto kText = [](const NameCount& one) -> const std::string& { return *one.name; };

std::vector<Candidate> with_notes(std::span<const NameCount> names) {
  std::vector<Candidate> all;
  for (const NameCount& one : names) all.push_back({*one.name, probes_text(one.probes)});
  return all;
}

/// The same for names of probes, of which there may be very many. `word` may be a pattern, which all of them match; only
/// one that is alone takes its place.
Candidates only(std::vector<NameCount> all, const std::string& word, char behind) {
  std::erase_if(all, [](const NameCount& one) { return one.name->empty(); });
  if (all.empty()) return {};
  const size_t total = all.size(), shown = std::min(total, Candidates::kMost);
  std::ranges::partial_sort(all, all.begin() + static_cast<ptrdiff_t>(shown), {}, kText);
  const bool stays = total > 1 && word.find_first_of("*?[") != word.npos;
  std::string begin =
      stays ? word : common_beginning(*all.front().name, *std::ranges::max_element(all, {}, kText)->name);
  return {with_notes({all.data(), shown}), total, std::move(begin), behind};
}

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

/// pid42, pid$target: its probes are made when a description asks for them, so Tab must not ask for too many.
bool is_process(std::string_view provider) {
  return provider == "pid$target" || (provider.starts_with("pid") && is_number(provider.substr(3)));
}

/// A provider; or a name, which is a description by itself: BEGIN.
Candidates first_field(const std::string& word, const Completable& run) {
  if (word.starts_with("pid") && is_number(word.substr(3))) {
    std::vector<Candidate> all = processes(std::string_view(word).substr(3));
    for (Candidate& one : all) one.text = "pid" + one.text;
    return only(std::move(all), word, ':');
  }
  const std::vector<NameCount> providers = run.probes(":::", ProbeIndex::Provider);  // pid*::: is of every process
  const std::vector<NameCount> names = run.probes("dtrace:::" + word + "*", ProbeIndex::Name);
  std::vector<Candidate> all = with_notes(providers);
  all.push_back({"pid$target", "functions of the target"});
  Candidates found = only(all, word, ':');
  if (names.empty()) return found;
  found.behind = found.total == 0 ? ' ' : 0;
  const std::vector<Candidate> alone = with_notes(names);
  all.insert(all.end(), alone.begin(), alone.end());
  return only(std::move(all), word, found.behind);
}

Candidates in_process(const std::vector<std::string>& fields, size_t at, const Completable& run) {
  const std::string &module = fields[1], &function = fields[2];
  const std::string of = fields[0] + ":" + module + ":" + function;
  if (at == 1) return only(run.modules(fields[0]), module, ':');
  if (at == 2) return only(run.probes(of + "*:entry", ProbeIndex::Function), function, ':');
  if (!function.empty() && function.find_first_of("*?[") == function.npos)
    return only(run.probes(of + ":" + fields[3] + "*", ProbeIndex::Name), fields[3], ' ');
  return only({{"entry", "of each function"}, {"return", "of each function"}}, fields[3]);
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
  fields.resize(4);
  if (at == 0) return first_field(word, run);
  if (is_process(fields[0])) return in_process(fields, at, run);
  fields[at] += '*';
  const std::string description = fields[0] + ":" + fields[1] + ":" + fields[2] + ":" + fields[3];
  return only(run.probes(description, static_cast<ProbeIndex::Field>(at)), word, at < 3 ? ':' : ' ');
}

Candidates in_statement(std::string_view text, const Completable& run) {
  const std::string_view word = last_word(text, kStatementBreaks);
  const std::string_view before = text.substr(0, text.size() - word.size());
  std::vector<Candidate> all;
  if (before.ends_with('@')) {
    for (const std::string& name : run.aggregations()) all.push_back({name, "an aggregation"});
    return only(std::move(all), word, 0);
  }
  if (before.ends_with("->") || before.ends_with('.')) return only(run.members(std::string(text)), word, 0);
  if (before.ends_with('$') || before.ends_with('`')) return {};
  const std::string_view statement = before.substr(std::min(before.size(), before.find_last_of(";{") + 1));
  if (statement.find('@') != statement.npos && statement.find('=') != statement.npos)
    for (const AggFunctionRow& row : kAggFunctions) all.push_back({std::string(row.name) + "(", std::string(row.doc)});
  for (Candidate& one : run.globals()) all.push_back(std::move(one));
  for (const DVariable& row : kVariables)
    if (!is_internal(row.name)) all.push_back({std::string(row.name), std::string(row.doc)});
  for (const DFunction& row : kFunctions)
    if (!is_internal(row.name)) all.push_back({std::string(row.name) + "(", std::string(row.doc)});
  return only(std::move(all), word, 0);
}

/// Processes by number; or programs.
Candidates target(std::string_view word) {
  if (word.find('/') != word.npos) return {.files = true};
  const bool is_number = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0]));
  return only(is_number ? processes(word) : programs(word), word);
}

Candidates commands(std::string_view word) {
  std::vector<Candidate> all;
  for (const PromptCommandRow& row : prompt_commands())
    all.push_back({std::string(row.name), std::string(row.sentence)});
  return only(std::move(all), word);
}

Candidates topics(std::string_view word) {
  std::vector<Candidate> all;
  for (const HelpTopic& topic : help_topics()) all.push_back({std::string(topic.name), std::string(topic.sentence)});
  return only(std::move(all), word);
}

/// The options of -x that may be set while a run goes on.
Candidates settings(std::string_view word) {
  std::vector<Candidate> all;
  for (const OptionRow& row : kOptions)
    if (row.phase == OptionPhase::Always || row.phase == OptionPhase::Compile)
      all.push_back({std::string(row.name), std::string(row.doc)});
  return only(std::move(all), word, 0);
}

/// Behind a command and a blank.
Candidates value_of(Completes what, std::string_view rest, const Completable& run) {
  switch (what) {
    case Completes::Target:
      if (rest.find(' ') != rest.npos) return {.files = true};
      return target(rest);
    case Completes::Aggregation: {
      std::vector<Candidate> all;
      for (const std::string& name : run.aggregations()) all.push_back({name, "an aggregation"});
      if (!rest.starts_with('@')) return {};
      return only(std::move(all), rest.substr(1));
    }
    case Completes::Clause: return only(run.clauses(), rest);
    case Completes::Probes: return in_description(rest, run);
    case Completes::File: return {.files = true};
    case Completes::Setting: return settings(rest);
    case Completes::Source: {
      std::vector<Candidate> all;
      for (const SourceRow& row : kSourceRows) all.push_back({std::string(row.name), "an event source"});
      return only(std::move(all), rest);
    }
    case Completes::Name: return only(run.targets(), rest);
    case Completes::Topic: return topics(rest);
    case Completes::Nothing: return {};
  }
  return {};
}

Candidates behind_command(std::string_view text, const Completable& run) {
  const size_t blank = text.find(' ');
  if (blank == text.npos) return commands(text.substr(1));
  const auto rows = find_prompt_commands(text.substr(1, blank - 1));
  return rows.size() != 1 ? Candidates() : value_of(rows.front()->completes, text.substr(blank + 1), run);
}

}  // namespace

Candidates complete(std::string_view text, const Completable& run) {
  const Where where = is_command(text) ? Where::Command : where_ends(text);
  Candidates found;
  if (where == Where::Command) found = behind_command(text, run);
  if (where == Where::Description) found = in_description(text, run);
  if (where == Where::Statement) found = in_statement(text, run);
  found.breaks = where == Where::Statement ? kStatementBreaks
                 : where == Where::Command ? kCommandBreaks
                                           : kDescriptionBreaks;
  return found;
}

std::string probes_text(size_t count) { return std::to_string(count) + (count == 1 ? " probe" : " probes"); }

}  // namespace sonde
