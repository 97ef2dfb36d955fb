// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/tool_help.h"

#include <algorithm>
#include <cctype>

#include "cli/built_in.h"
#include "cli/help.h"
#include "cli/options_table.h"
#include "cli/output.h"
#include "cli/roff.h"

namespace sonde {
namespace {

constexpr size_t kToolColumn = 26;

constexpr char kWhom[] =
    "With PROGRAM, or with -p PID, it looks at these processes and their children. Without, it looks at the whole "
    "machine, for which it must be root. Options of sonde may stand before and behind the tool's name; --duration=10s "
    "ends it, --format=jsonl prints for other programs.";

/// An option or a word of a tool, as texts show it.
struct ToolItem {
  std::string form, sentence;
};

std::vector<ToolItem> items_of_tool(const ScriptHeader& header) {
  std::vector<ToolItem> all;
  for (const ScriptWord& word : header.words) all.push_back({word.name, word.sentence});
  for (const ScriptOption& option : header.options)
    all.push_back({"--" + option.name + (option.value.empty() ? "" : "=" + option.value),
                   option.sentence + (option.initial.empty() ? "" : "; " + option.initial + " if it is not given")});
  return all;
}

/// The options of the list of calls, and those that change what the tool sums.
std::vector<ToolItem> items_of_tool(const BuiltIn& tool) {
  std::vector<ToolItem> all;
  for (const CommandLineOption& option : kCommandLine) {
    const bool is_own = !tool.option.empty() && option.name.starts_with(tool.option.substr(2));
    if ((is_own || option.group == OptionGroup::Calls) && !option.sentence.empty())
      all.push_back({forms(option), std::string(option.sentence)});
  }
  return all;
}

/// The row of a built-in tool as the header that a file would have.
ScriptHeader header_of(const BuiltIn& tool) {
  ScriptHeader header;
  header.name = tool.name;
  header.sentence = tool.sentence;
  header.paragraphs = {std::string(tool.paragraph)};
  header.examples = {{"sonde " + header.name + " --trace=%file ls", std::string(tool.example)}};
  return header;
}

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string usage_of(const ScriptHeader& header, bool has_options) {
  std::string text = program_name() + " " + header.name + (has_options ? " [OPTIONS]" : "");
  for (const ScriptWord& word : header.words) text += " " + word.name;
  return text + " [PROGRAM ARGS]";
}

std::string help_on(const ScriptHeader& header, const std::vector<ToolItem>& items, bool has_options) {
  std::string text = paragraph(header.name + ": " + header.sentence, 0);
  text += "\nUsage: " + usage_of(header, has_options) + "\n";
  for (const ToolItem& item : items) text += list_line(item.form, item.sentence, kToolColumn);
  for (const std::string& one : header.paragraphs)
    text += "\n" + (one.starts_with(' ') ? one + "\n" : paragraph(one, 0));
  text += "\n" + paragraph(kWhom, 0);
  if (!header.needs.empty()) text += "\n" + paragraph("It needs " + header.needs + ".", 0);
  for (const ScriptExample& example : header.examples)
    text += "\n    " + example.command + "\n" + (example.sentence.empty() ? "" : paragraph(example.sentence, 8));
  return text;
}

std::string man_page_of(const ScriptHeader& header, const std::vector<ToolItem>& items, bool has_options) {
  std::string text = ".TH SONDE\\-" + capitals(header.name) +
                     " 1 \"\" \"Sonde " SONDE_VERSION "\" \"User Commands\"\n.SH NAME\nsonde\\-" + roff(header.name) +
                     " \\- " + roff(header.sentence) + "\n.SH SYNOPSIS\n.B " + roff(usage_of(header, has_options)) +
                     "\n.SH DESCRIPTION\n";
  for (const std::string& one : header.paragraphs)
    text += one.starts_with(' ') ? ".EX\n" + roff(one) + "\n.EE\n" : ".PP\n" + roff(one) + "\n";
  text += ".PP\n" + roff(kWhom) + "\n";
  if (!header.needs.empty()) text += ".PP\n" + roff("It needs " + header.needs + ".") + "\n";
  if (!items.empty()) text += ".SH OPTIONS\n";
  for (const ToolItem& item : items) text += roff_item(item.form, item.sentence);
  if (!header.examples.empty()) text += ".SH EXAMPLES\n";
  for (const ScriptExample& example : header.examples) text += roff_example(example.sentence, example.command);
  return text + ".SH SEE ALSO\n.BR sonde (1)\n";
}

}  // namespace

std::string tool_usage(const ScriptHeader& header) { return usage_of(header, !header.options.empty()); }

std::string tool_help(const ScriptHeader& header) {
  return help_on(header, items_of_tool(header), !header.options.empty());
}
std::string tool_help(const BuiltIn& tool) { return help_on(header_of(tool), items_of_tool(tool), true); }

std::string tool_man_page(const ScriptHeader& header) {
  return man_page_of(header, items_of_tool(header), !header.options.empty());
}
std::string tool_man_page(const BuiltIn& tool) { return man_page_of(header_of(tool), items_of_tool(tool), true); }

std::string list_of_tools() {
  std::string text;
  for (const Tool& tool : all_tools()) text += list_line(tool.name, tool.sentence, 16);
  return text;
}

}  // namespace sonde
