// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/completion.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/built_in.h"
#include "cli/help.h"
#include "cli/options_table.h"
#include "runtime/lang/options.h"
#include "runtime/print/printers.h"

namespace sonde {
namespace {

/// The words that a value may be, with blanks between; empty: the shell finds them, or nobody knows them.
std::string words_of(ValueKind kind) {
  std::string text;
  const auto add = [&](std::string_view word) { text.append(text.empty() ? "" : " ").append(word); };
  if (kind == ValueKind::Format)
    for (const PrinterRow& row : kPrinterRows) add(row.name);
  if (kind == ValueKind::Setting)
    for (const OptionRow& row : kOptions) add(row.name);
  if (kind == ValueKind::Topic)
    for (const HelpTopic& topic : help_topics()) add(topic.name);
  if (kind == ValueKind::Shell) add("bash zsh fish");
  return text;
}

std::string subcommand_words() {
  std::string text;
  for (const Subcommand& row : kSubcommands) text.append(text.empty() ? "" : " ").append(row.name);
  return text;
}

/// With each of `these` behind a backslash.
std::string escaped(std::string_view text, std::string_view these) {
  std::string result;
  for (const char c : text) {
    if (these.find(c) != these.npos) result += '\\';
    result += c;
  }
  return result;
}

/// For a text between single quotes of a POSIX shell.
std::string quoted_for_shell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

std::vector<std::string> all_forms(const CommandLineOption& option) {
  std::vector<std::string> all;
  if (const std::string shortest = label(option); !shortest.starts_with("--")) all.push_back(shortest);
  all.push_back("--" + std::string(option.name));
  return all;
}

/// The command of bash that lists the values of a kind.
std::string bash_values(ValueKind kind) {
  switch (kind) {
    case ValueKind::File: return "compgen -f -- \"$current\"";
    case ValueKind::Folder: return "compgen -d -- \"$current\"";
    case ValueKind::Command: return "compgen -c -- \"$current\"";
    case ValueKind::Pid: return "compgen -W \"$(ps -eo pid=)\" -- \"$current\"";
    default: {
      const std::string words = words_of(kind);
      return words.empty() ? "" : "compgen -W '" + words + "' -- \"$current\"";
    }
  }
}

std::string for_bash() {
  std::string cases, names, with_value, tools, tool_words;
  for (const Tool& tool : all_tools()) {
    tools.append(tools.empty() ? "" : "|").append(tool.name);
    tool_words.append(" ").append(tool.name);
  }
  for (const CommandLineOption& option : kCommandLine) {
    if (option.name.empty()) continue;
    std::string pattern;
    for (const std::string& form : all_forms(option)) {
      names += " " + form;
      pattern += (pattern.empty() ? "" : "|") + form;
    }
    if (!takes_value(option)) continue;
    if (!value_is_optional(option)) with_value += (with_value.empty() ? "" : "|") + pattern;
    const std::string values = bash_values(option.kind);
    cases +=
        "    " + pattern + ") " + (values.empty() ? "" : "mapfile -t COMPREPLY < <(" + values + "); ") + "return ;;\n";
  }
  return "# sonde's completion for bash: source <(sonde --completion=bash)\n"
         "_sonde() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at\n"
         "  # bash has split --format=csv into three words\n"
         "  if [[ $current == = ]]; then current=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; "
         "fi\n"
         "  COMPREPLY=()\n"
         "  # the words of a program that is traced are its own\n"
         "  for ((at = 1; at < COMP_CWORD; at++)); do\n"
         "    case ${COMP_WORDS[at]} in\n"
         "      " +
         with_value +
         ") ((at++)); [[ ${COMP_WORDS[at]} == = ]] && ((at++)) ;;\n"
         "      -*|=) ;;\n"
         "      " +
         (tools.empty() ? "sonde" : tools) +
         ") ;;\n"
         "      *) if declare -F _command_offset > /dev/null; then _command_offset $at\n"
         "         else mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); fi; return ;;\n"
         "    esac\n"
         "  done\n"
         "  case $before in\n" +
         cases +
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         names.substr(1) +
         "' -- \"$current\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         subcommand_words() + tool_words +
         "' -- \"$current\"; compgen -c -- \"$current\"; compgen -f -X '!*.d' -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _sonde sonde\n";
}

/// What zsh completes for a value: ":FILE:_files".
std::string zsh_value(const CommandLineOption& option) {
  if (!takes_value(option)) return {};
  std::string action;
  switch (option.kind) {
    case ValueKind::File: action = "_files"; break;
    case ValueKind::Folder: action = "_files -/"; break;
    case ValueKind::Command: action = "_command_names -e"; break;
    case ValueKind::Pid: action = "_pids"; break;
    default:
      if (const std::string words = words_of(option.kind); !words.empty()) action = "(" + words + ")";
  }
  const std::string_view value = option.value;
  const std::string name(value_is_optional(option) ? value.substr(1, value.size() - 2) : value);
  return (value_is_optional(option) ? "::" : ":") + escaped(name, ":[]\\") + ":" + action;
}

std::string for_zsh() {
  std::string text = "#compdef sonde\n# sonde's completion for zsh\n_arguments -s -S \\\n";
  for (const CommandLineOption& option : kCommandLine) {
    if (option.name.empty()) continue;
    const std::vector<std::string> forms = all_forms(option);
    for (const std::string& form : forms) {
      const bool is_long = form.starts_with("--");
      const std::string sign = !takes_value(option) ? "" : is_long ? (value_is_optional(option) ? "=-" : "=") : "+";
      text += "  '*" + form + sign + "[" + quoted_for_shell(escaped(option.sentence, "[]:\\")) + "]" +
              quoted_for_shell(zsh_value(option)) + "' \\\n";
    }
  }
  return text + "  '*::program or script:_normal'\n";
}

/// The rest of fish's line for a value.
std::string fish_value(const CommandLineOption& option) {
  if (!takes_value(option)) return " -f";
  switch (option.kind) {
    case ValueKind::File: return " -r -F";
    case ValueKind::Folder: return " -x -a '(__fish_complete_directories)'";
    case ValueKind::Command: return " -x -a '(__fish_complete_command)'";
    case ValueKind::Pid: return " -x -a '(__fish_complete_pids)'";
    default: {
      const std::string words = words_of(option.kind);
      return (value_is_optional(option) ? " -f" : " -x") + (words.empty() ? "" : " -a '" + words + "'");
    }
  }
}

std::string for_fish() {
  std::string text = "# sonde's completion for fish\ncomplete -c sonde -x -a '(__fish_complete_subcommand)'\n";
  for (const Subcommand& row : kSubcommands)
    text += "complete -c sonde -n __fish_use_subcommand -a " + std::string(row.name) + " -d '" +
            escaped(row.sentence, "'\\") + "'\n";
  for (const Tool& tool : all_tools())
    text +=
        "complete -c sonde -n __fish_use_subcommand -a " + tool.name + " -d '" + escaped(tool.sentence, "'\\") + "'\n";
  for (const CommandLineOption& option : kCommandLine) {
    if (option.name.empty()) continue;
    text += "complete -c sonde";
    if (const std::string shortest = label(option); shortest.size() == 2) text += " -s " + shortest.substr(1);
    text += " -l " + std::string(option.name) + fish_value(option) + " -d '" + escaped(option.sentence, "'\\") + "'\n";
  }
  return text;
}

}  // namespace

std::string_view completed_shells() { return "bash, zsh or fish"; }

std::string completion(std::string_view shell) {
  if (shell == "bash") return for_bash();
  if (shell == "zsh") return for_zsh();
  return shell == "fish" ? for_fish() : "";
}

}  // namespace sonde
