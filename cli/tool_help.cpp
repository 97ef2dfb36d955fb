// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/tool_help.h"

#include <algorithm>
#include <cctype>

#include "cli/help.h"
#include "cli/output.h"
#include "cli/roff.h"
#include "cli/tools/tools.h"

namespace sonde {
namespace {

constexpr size_t kToolColumn = 26;

constexpr char kWhom[] =
    "With PROGRAM, or with -p PID, it looks at these processes and their children. Without, it looks at the whole "
    "machine, for which it must be root. Options of sonde may stand before and behind the tool's name; --duration=10s "
    "ends it, --format=jsonl prints for other programs.";

std::string form_of(const ScriptOption& option) {
  return "--" + option.name + (option.value.empty() ? "" : "=" + option.value);
}

std::string sentence_of_option(const ScriptOption& option) {
  return option.sentence + (option.initial.empty() ? "" : "; " + option.initial + " if it is not given");
}

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

std::string tool_usage(const ScriptHeader& header) {
  std::string text = program_name() + " " + header.name + (header.options.empty() ? "" : " [OPTIONS]");
  for (const ScriptWord& word : header.words) text += " " + word.name;
  return text + " [PROGRAM ARGS]";
}

std::string tool_help(const ScriptHeader& header) {
  std::string text = paragraph(header.name + ": " + header.sentence, 0);
  text += "\nUsage: " + tool_usage(header) + "\n";
  for (const ScriptWord& word : header.words) text += list_line(word.name, word.sentence, kToolColumn);
  for (const ScriptOption& option : header.options)
    text += list_line(form_of(option), sentence_of_option(option), kToolColumn);
  for (const std::string& one : header.paragraphs)
    text += "\n" + (one.starts_with(' ') ? one + "\n" : paragraph(one, 0));
  text += "\n" + paragraph(kWhom, 0);
  if (!header.needs.empty()) text += "\n" + paragraph("It needs " + header.needs + ".", 0);
  for (const ScriptExample& example : header.examples)
    text += "\n    " + example.command + "\n" + (example.sentence.empty() ? "" : paragraph(example.sentence, 8));
  return text;
}

std::string tool_man_page(const ScriptHeader& header) {
  std::string text = ".TH SONDE\\-" + capitals(header.name) +
                     " 1 \"\" \"Sonde " SONDE_VERSION "\" \"User Commands\"\n.SH NAME\nsonde\\-" + roff(header.name) +
                     " \\- " + roff(header.sentence) + "\n.SH SYNOPSIS\n.B " + roff(tool_usage(header)) +
                     "\n.SH DESCRIPTION\n";
  for (const std::string& one : header.paragraphs)
    text += one.starts_with(' ') ? ".EX\n" + roff(one) + "\n.EE\n" : ".PP\n" + roff(one) + "\n";
  text += ".PP\n" + roff(kWhom) + "\n";
  if (!header.needs.empty()) text += ".PP\n" + roff("It needs " + header.needs + ".") + "\n";
  if (!header.words.empty() || !header.options.empty()) text += ".SH OPTIONS\n";
  for (const ScriptWord& word : header.words) text += roff_item(word.name, word.sentence);
  for (const ScriptOption& option : header.options) text += roff_item(form_of(option), sentence_of_option(option));
  if (!header.examples.empty()) text += ".SH EXAMPLES\n";
  for (const ScriptExample& example : header.examples) text += roff_example(example.sentence, example.command);
  return text + ".SH SEE ALSO\n.BR sonde (1)\n";
}

std::string list_of_tools() {
  std::string text;
  for (const Tool& tool : all_tools()) text += list_line(tool.name, tool.sentence, 16);
  return text;
}

}  // namespace sonde
