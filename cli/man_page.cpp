// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/man_page.h"

#include "cli/built_in.h"
#include "cli/help.h"
#include "cli/options_table.h"
#include "cli/prompt/commands.h"
#include "cli/roff.h"
#include "providers/registry.h"
#include "runtime/lang/options.h"

namespace sonde {
namespace {

std::string options() {
  std::string text = ".SH OPTIONS\n";
  for (OptionGroup group : {OptionGroup::What, OptionGroup::Whom, OptionGroup::Calls, OptionGroup::Output,
                            OptionGroup::How, OptionGroup::Preprocessor, OptionGroup::Instead}) {
    text += ".SS " + roff(title(group)) + "\n";
    for (const CommandLineOption& option : kCommandLine)
      if (option.group == group && !option.sentence.empty()) text += roff_item(forms(option), option.sentence);
  }
  return text;
}

std::string settings_section() {
  std::string text = ".SH OPTIONS OF D\nSet by\n.BR \\-x ,\n#pragma D option, or setopt().\n";
  for (const OptionRow& row : kOptions) text += roff_item(row.name, sentence_of(row));
  return text;
}

std::string subcommands_section() {
  std::string text = ".SH COMMANDS\nA program of such a name is traced by\n.B sonde \\-\\- \\fINAME\\fR.\n";
  for (const Subcommand& row : kSubcommands)
    text += roff_item("sonde " + std::string(row.name) + (row.words.empty() ? "" : " " + std::string(row.words)),
                      row.sentence);
  return text;
}

std::string tools_section() {
  std::string text =
      ".SH TOOLS\nEach has a page of its own, as\n.BR sonde\\-opensnoop (1),\nand answers to \\-\\-help.\n";
  for (const Tool& tool : all_tools()) text += roff_item(tool.name, tool.sentence);
  return text;
}

std::string prompt() {
  std::string text =
      ".SH PROMPT\nsonde alone on a terminal, or with\n.BR \\-\\-repl ,\nis a prompt. A line is a clause or a "
      "command:\n";
  for (const PromptCommandRow& row : prompt_commands())
    text +=
        roff_item(":" + std::string(row.name) + (row.value.empty() ? "" : " " + std::string(row.value)), row.sentence);
  return text;
}

constexpr char kHead[] =
    ".TH SONDE 1 \"\" \"Sonde " SONDE_VERSION
    "\" \"User Commands\"\n"
    ".SH NAME\nsonde \\- ask a running system a question in D\n"
    ".SH SYNOPSIS\n"
    ".B sonde\n[\\fIOPTIONS\\fR] \\fB\\-n\\fR \\fITEXT\\fR | \\fB\\-s\\fR \\fIFILE\\fR "
    "[\\fB\\-c\\fR \\fICOMMAND\\fR | \\fB\\-p\\fR \\fIPID\\fR] [\\fIARGUMENTS\\fR]\n.br\n"
    ".B sonde\n[\\fIOPTIONS\\fR] \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR]\n.br\n"
    ".B sonde\n[\\fB\\-\\-repl\\fR]\n"
    ".SH DESCRIPTION\n"
    "Sonde is DTrace for Linux. It runs clauses of D when something happens in a program or in the machine, while "
    "these "
    "run on: a system call, a signal, the start of a process, a call of a function, a tick of a clock. A clause is a "
    "probe, "
    "perhaps a condition, and actions. Without a clause, sonde prints the system calls of a program, as\n"
    ".BR strace (1)\ndoes.\n";

constexpr char kEnd[] =
    ".SH EXIT STATUS\n"
    "0: all went well, or a clause called exit(0). Another status that a clause gave to exit(). 1: sonde could not do "
    "what it was asked for, or lost output. 2: the command line is wrong. Without a script sonde ends as the program "
    "did.\n";

#define SONDE_PAGE(name) ",\n.BR sonde\\-" #name " (7)"
constexpr char kSeeAlso[] = ".SH SEE ALSO\n.BR strace (1),\n.BR sonde\\-d (7)" SONDE_PROVIDERS(SONDE_PAGE) "\n";
#undef SONDE_PAGE

}  // namespace

std::string man_page() {
  return kHead + options() + subcommands_section() + tools_section() + settings_section() + prompt() +
         ".SH ENVIRONMENT\n" +
         roff_item("SONDE_PROVIDER_PATH", "folders from which providers are loaded, separated by colons") +
         roff_item("SONDE_TOOL_PATH", "folders with tools of your own, NAME.d, separated by colons") +
         roff_item("DTRACE_OPT_NAME", "sets the option NAME, as -x NAME does") + ".SH EXAMPLES\n" +
         roff_example("Which calls do a program and its children make, and how often?",
                      "sonde -n 'syscall:::entry { @[execname, probefunc] = count(); }' -c 'ls -l /'") +
         roff_example("What does a process do now?", "sonde -p 4711") +
         roff_example("Where does it spend its time?", "sonde -n 'profile-997 { @[ustack()] = count(); }' -p 4711") +
         kEnd + kSeeAlso;
}

}  // namespace sonde
