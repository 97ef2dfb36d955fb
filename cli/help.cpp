// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/help.h"

#include <algorithm>
#include <array>

#include "cli/built_in.h"
#include "cli/man_page.h"
#include "cli/options_table.h"
#include "cli/output.h"
#include "cli/prompt/commands.h"
#include "cli/tool_help.h"
#include "runtime/agg/functions.h"
#include "runtime/base/suggest.h"
#include "runtime/lang/functions.h"
#include "runtime/lang/options.h"
#include "runtime/lang/variables.h"
#include "runtime/print/printers.h"

namespace sonde {
namespace {

constexpr size_t kColumn = 26, kNarrow = 16;

/// The sentence in lines of at most `width`; a word is never broken.
std::vector<std::string> lines_of(std::string_view sentence, size_t width) {
  std::vector<std::string> lines(1);
  for (size_t at = 0; at < sentence.size();) {
    const size_t end = std::min(sentence.find(' ', at), sentence.size());
    const std::string_view word = sentence.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    at = end + 1;
  }
  return lines;
}

/// The options, by group. `first`: only those that people need first, by their shortest form.
std::string options_by_group(bool first) {
  std::string text;
  for (OptionGroup group : {OptionGroup::What, OptionGroup::Whom, OptionGroup::Calls, OptionGroup::Output,
                            OptionGroup::How, OptionGroup::Preprocessor, OptionGroup::Instead}) {
    text.append(title(group)).append("\n");
    for (const CommandLineOption& option : kCommandLine) {
      if (option.group != group || option.sentence.empty() || (first && !option.first)) continue;
      text += list_line(forms(option), option.sentence, kColumn);
    }
  }
  return text;
}

std::string all_options() { return options_by_group(false); }

std::string settings() {
  std::string text;
  for (const OptionRow& row : kOptions) text += list_line(row.name, sentence_of(row), 18);
  return text;
}

std::string commands_of_prompt() {
  std::string text = list_line("probe /predicate/ { actions }",
                               "compiles and enables a clause; it may go over several lines. Without braces an empty "
                               "line ends it",
                               32);
  for (const PromptCommandRow& row : prompt_commands()) {
    std::string form = ":" + std::string(row.name);
    if (!row.value.empty()) form.append(" ").append(row.value);
    text += list_line(form, row.sentence, 32);
  }
  return text;
}

/// "uint64_t tid" or, of a function, "void printf(string, ...)".
std::string declaration(std::string_view type, std::string_view name) {
  const size_t arguments = type.find('(');
  if (arguments == type.npos) return std::string(type) + " " + std::string(name);
  return std::string(type.substr(0, arguments)) + " " + std::string(name) + std::string(type.substr(arguments));
}

std::string functions() {
  std::string text;
  for (const DFunction& row : kFunctions)
    if (!is_internal(row.name)) text += list_line(declaration(row.prototype, row.name), row.doc, 40);
  return text;
}

std::string variables() {
  std::string text;
  for (const DVariable& row : kVariables)
    if (!is_internal(row.name)) text += list_line(declaration(row.type, row.name), row.doc, kColumn);
  return text;
}

std::string formats() {
  std::string text;
  for (const PrinterRow& row : kPrinterRows) text += list_line(row.name, row.doc, kNarrow);
  return text;
}

std::string environment() {
  return list_line("SONDE_PROVIDER_PATH", "folders from which providers are loaded, separated by colons", kColumn) +
         list_line("SONDE_TOOL_PATH", "folders with tools of your own, NAME.d, separated by colons", kColumn) +
         list_line("DTRACE_OPT_NAME", "sets the option NAME, as -x NAME does", kColumn) +
         list_line("XDG_STATE_HOME", "where the prompt keeps its history; by default ~/.local/state", kColumn);
}

std::string topics() {
  std::string text;
  for (const HelpTopic& topic : help_topics()) text += list_line(topic.name, topic.sentence, kNarrow);
  return text;
}

std::string aggregations() {
  std::string text;
  for (const AggFunctionRow& row : kAggFunctions)
    text +=
        list_line("@ = " + declaration(row.prototype, row.name).substr(std::string_view("void ").size()), row.doc, 40);
  return text;
}

constexpr std::array kTopics = std::to_array<HelpTopic>({
    {"options", "all options of the command line", all_options},
    {"settings", "the options of D, for -x and #pragma D option", settings},
    {"prompt", "the commands of the prompt", commands_of_prompt},
    {"variables", "the variables of D", variables},
    {"functions", "the functions and actions of D", functions},
    {"aggregations", "the aggregating functions of D", aggregations},
    {"tools", "the tools that have a name: sonde opensnoop, ...", list_of_tools},
    {"formats", "what --format may be", formats},
    {"environment", "the environment variables", environment},
    {"man", "sonde(1), for man -l", man_page},
    {"topics", "this list", topics},
});

std::string subcommands() {
  std::string text;
  for (const Subcommand& row : kSubcommands) {
    if (row.sentence.starts_with("as --")) continue;  // its option is listed
    text +=
        list_line(program_name() + " " + std::string(row.name) + " " + std::string(row.words), row.sentence, kColumn);
  }
  return text;
}

/// "-CeFHlqSvVwZ": the letters that take no value, but for those that usage() shows otherwise.
std::string plain_letters() {
  std::string letters;
  for (const CommandLineOption& option : kCommandLine) {
    const bool is_digit = option.letter >= '0' && option.letter <= '9';
    if (option.letter != 0 && !is_digit && !takes_value(option) && !std::holds_alternative<Refuses>(option.effect))
      letters += option.letter;
  }
  std::ranges::sort(letters, [](char a, char b) { return std::pair(a | 0x20, a) < std::pair(b | 0x20, b); });
  return letters;
}

}  // namespace

std::string sentence_of(const OptionRow& option) {
  return (option.has_no_effect ? "no effect: " : "") + std::string(option.doc);
}

std::string list_line(std::string_view label, std::string_view sentence, size_t column) {
  std::string text = "  " + std::string(label);
  if (text.size() + 2 > column)
    text += '\n' + std::string(column, ' ');
  else
    text.resize(column, ' ');
  return text + paragraph(sentence, column).substr(column);
}

std::string paragraph(std::string_view text, size_t column) {
  std::string all;
  for (const std::string& line : lines_of(text, kTextWidth - column)) all += std::string(column, ' ') + line + '\n';
  return all;
}

std::span<const HelpTopic> help_topics() { return kTopics; }

const HelpTopic* find_topic(std::string_view name) {
  const auto topic = std::ranges::find(kTopics, name, &HelpTopic::name);
  return topic == kTopics.end() ? nullptr : &*topic;
}

std::string no_topic(std::string_view name) {
  Suggestion suggestion(name);
  for (const HelpTopic& topic : kTopics) suggestion.offer(topic.name);
  const std::vector<Tool> tools = all_tools();
  for (const Tool& tool : tools) suggestion.offer(tool.name);
  const std::string hint = suggestion.hint();
  return "no topic '" + std::string(name) + "'\n    " + (hint.empty() ? "--help=topics lists them" : hint);
}

std::string usage() {
  const std::string& name = program_name();
  return "Usage: " + name + " [-32|-64] [-" + plain_letters() +
         "] [-b SIZE] [-c COMMAND] [-D NAME[=TEXT]] [-I DIR] [-L DIR]\n"
         "\t[-o FILE] [-p PID] [-s FILE] [-U NAME] [-x NAME[=VALUE]] [-X a|c|s|t]\n"
         "\t[-P PROVIDER | -m [P:]MODULE | -f [[P:]M:]FUNCTION | -n [[[P:]M:]F:]NAME | -i ID]\n"
         "\t[[/PREDICATE/] { ACTIONS }] [ARGUMENTS ...]\n"
         "       " +
         name + " [OPTIONS] PROGRAM [ARGUMENTS ...]\n       " + name + " [--repl]\n       " + name +
         " --help[=TOPIC]\n";
}

std::string help() {
  const std::string& name = program_name();
  return usage() + "\n" +
         list_line(name + " PROGRAM ARGS", "shows every system call of a program, as strace does; -p PID: of a process",
                   kColumn) +
         list_line(name + " TOOL [PROGRAM]",
                   "answers a question that has a name, as opensnoop: --help=tools lists them", kColumn) +
         list_line(name + " SCRIPT.d", "runs a script; -- PROGRAM: a program, whatever its name", kColumn) +
         subcommands() + "\n" + options_by_group(true);
}

}  // namespace sonde
