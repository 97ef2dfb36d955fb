// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the command line, one row each
//
//   kCommandLine --> parse_arguments()   what getopt accepts, what an option does, what it excludes
//                --> usage(), help()     cli/help.h
//                --> man_page()          cli/man_page.h
//                --> completion()        cli/completion.h
//
// A letter that DTrace has keeps its meaning. Long names that strace has for the same thing are strace's.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "cli/arguments.h"

namespace sonde {

enum class OptionGroup : uint8_t { What, Whom, How, Output, Preprocessor, Instead };

/// What its value is, which decides what a shell completes.
enum class ValueKind : uint8_t { None, Text, File, Folder, Command, Pid, Probe, Setting, Format, Topic, Shell };

// What an option does.
struct GivesText {  ///< its value is a text of clauses, or names one
  SourceText::Kind kind;
};
struct Sets {  ///< sets an option of -x
  const char* option;
  const char* value;  ///< null: the value that is typed
};
struct Enters {  ///< Only one mode may be entered.
  Mode mode;
};
struct Refuses {
  const char* why;
};
enum class Does : uint8_t { StartsCommand, Attaches, NamesOutput, SetsOption, IsVerbose, Disassembles, Sums, Loads };

using OptionEffect = std::variant<GivesText, Sets, Enters, Refuses, Does>;

struct CommandLineOption {
  char letter;            ///< 0: none
  std::string_view name;  ///< the long form, without --
  std::string_view
      value;  ///< what stands for the value in texts, as FILE; in brackets: it may be left out; empty: none
  ValueKind kind;
  OptionGroup group;
  OptionEffect effect;
  bool first;  ///< shown by --help; the others by --help=options
  std::string_view sentence;
};

constexpr auto kNoValue = ValueKind::None;

inline constexpr std::array kCommandLine = std::to_array<CommandLineOption>({
    {'n', "probe", "TEXT", ValueKind::Probe, OptionGroup::What, GivesText{SourceText::Kind::Name}, true,
     "clauses, as in -n 'syscall::openat:entry { trace(copyinstr(arg1)); }'"},
    {'s', "script", "FILE", ValueKind::File, OptionGroup::What, GivesText{SourceText::Kind::Script}, true,
     "a script; - is standard input"},
    {'P', "probe-provider", "PROVIDER", ValueKind::Probe, OptionGroup::What, GivesText{SourceText::Kind::Provider},
     false, "clauses for all probes of a provider"},
    {'m', "probe-module", "MODULE", ValueKind::Probe, OptionGroup::What, GivesText{SourceText::Kind::Module}, false,
     "clauses for all probes of a module: [PROVIDER:]MODULE"},
    {'f', "probe-function", "FUNCTION", ValueKind::Probe, OptionGroup::What, GivesText{SourceText::Kind::Function},
     false, "clauses for all probes of a function: [[PROVIDER:]MODULE:]FUNCTION"},
    {'i', "probe-id", "ID", ValueKind::Text, OptionGroup::What, GivesText{SourceText::Kind::Name}, false,
     "clauses for the probe that -l lists with this number"},
    {0, "summary", "", kNoValue, OptionGroup::What, Does::Sums, true,
     "calls, errors and time of each system call at the end, as strace -c"},

    {'c', "command", "COMMAND", ValueKind::Command, OptionGroup::Whom, Does::StartsCommand, true,
     "starts a command ($target), and ends with it: -c 'ls -l'"},
    {'p', "attach", "PID", ValueKind::Pid, OptionGroup::Whom, Does::Attaches, true,
     "attaches to a process, and to those that it starts from then on"},

    {'q', "quiet", "", kNoValue, OptionGroup::Output, Sets{"quiet", ""}, true, "prints only what the script prints"},
    {'o', "output", "FILE", ValueKind::File, OptionGroup::Output, Does::NamesOutput, true,
     "appends the output to a file; messages stay on standard error"},
    {0, "format", "FORMAT", ValueKind::Format, OptionGroup::Output, Sets{"format", nullptr}, true,
     "text, or for other programs jsonl, csv, folded, svg"},
    {0, "host", "NAME", ValueKind::Text, OptionGroup::Output, Sets{"host", nullptr}, false,
     "the name that output for programs gives this host"},
    {0, "labels", "K=V,...", ValueKind::Text, OptionGroup::Output, Sets{"labels", nullptr}, false,
     "what output for programs says of the run"},
    {0, "interval", "TIME", ValueKind::Text, OptionGroup::Output, Sets{"interval", nullptr}, true,
     "prints the aggregations that often, as 10s; SIGUSR1 prints them once"},
    {0, "delta", "", kNoValue, OptionGroup::Output, Sets{"temporality", "delta"}, false,
     "each print of the aggregations holds what was new since the one before"},
    {0, "cumulative", "", kNoValue, OptionGroup::Output, Sets{"temporality", "cumulative"}, false,
     "each print of the aggregations holds all since the start"},
    {'F', "flow-indent", "", kNoValue, OptionGroup::Output, Sets{"flowindent", ""}, true,
     "indents by entry and return"},

    {'w', "destructive", "", kNoValue, OptionGroup::How, Sets{"destructive", ""}, true,
     "allows actions that change what they touch: stop(), raise(), system()"},
    {'Z', "allow-no-match", "", kNoValue, OptionGroup::How, Sets{"zdefs", ""}, true,
     "descriptions may match nothing, or only what comes later"},
    {0, "duration", "TIME", ValueKind::Text, OptionGroup::How, Sets{"duration", nullptr}, true,
     "the run ends by itself after that time, as 10s"},
    {0, "exit-on-eof", "", kNoValue, OptionGroup::How, Sets{"eofexit", ""}, false,
     "the run ends when standard input ends"},
    {'x', "set", "NAME[=VALUE]", ValueKind::Setting, OptionGroup::How, Does::SetsOption, true,
     "sets an option of D, as #pragma D option does; -x help lists them"},
    {'b', "buffer-size", "SIZE", ValueKind::Text, OptionGroup::How, Sets{"bufsize", nullptr}, false,
     "bytes of each principal buffer, as 4m"},
    {'L', "library-folder", "DIR", ValueKind::Folder, OptionGroup::How, Sets{"libdir", nullptr}, false,
     "adds a directory of D libraries"},
    {0, "provider", "FILE.so", ValueKind::File, OptionGroup::How, Does::Loads, true,
     "loads a provider, beside those of $SONDE_PROVIDER_PATH"},
    {'v', "verbose", "", kNoValue, OptionGroup::How, Does::IsVerbose, false,
     "the stability of a script; with -l the arguments of the probes"},
    {'3', "32", "", kNoValue, OptionGroup::How, Sets{"ilp32", ""}, false,
     "long and pointers in the program's memory have 4 bytes"},
    {'2', "", "", kNoValue, OptionGroup::How, Sets{"ilp32", ""}, false, ""},  // -32 is two letters to getopt
    {'6', "64", "", kNoValue, OptionGroup::How, Sets{"ilp32", "no"}, false, "they have 8 bytes"},
    {'4', "", "", kNoValue, OptionGroup::How, Sets{"ilp32", "no"}, false, ""},

    {'C', "preprocess", "", kNoValue, OptionGroup::Preprocessor, Sets{"cpp", ""}, true,
     "runs cpp on scripts first; -D, -U, -I, -H and -X are for it"},
    {'D', "define", "NAME[=TEXT]", ValueKind::Text, OptionGroup::Preprocessor, Sets{"define", nullptr}, false,
     "defines a macro"},
    {'U', "undefine", "NAME", ValueKind::Text, OptionGroup::Preprocessor, Sets{"undef", nullptr}, false,
     "removes a macro"},
    {'I', "include-folder", "DIR", ValueKind::Folder, OptionGroup::Preprocessor, Sets{"incdir", nullptr}, false,
     "adds a directory of included files"},
    {'H', "show-headers", "", kNoValue, OptionGroup::Preprocessor, Sets{"cpphdrs", ""}, false,
     "prints the names of included files"},
    {'X', "stdc", "a|c|s|t", ValueKind::Text, OptionGroup::Preprocessor, Sets{"stdc", nullptr}, false,
     "how scripts see __STDC__"},

    {'l', "list", "", kNoValue, OptionGroup::Instead, Enters{Mode::List}, true,
     "lists probes: -l 'syscall::*open*:'; with -v their arguments"},
    {'e', "compile-only", "", kNoValue, OptionGroup::Instead, Enters{Mode::CompileOnly}, true,
     "compiles, and does no more"},
    {'S', "disassemble", "", kNoValue, OptionGroup::Instead, Does::Disassembles, false,
     "shows the fire part of each clause; with -e it does no more"},
    {0, "repl", "", kNoValue, OptionGroup::Instead, Enters{Mode::Prompt}, true,
     "the prompt; also: the command alone, on a terminal"},
    {0, "check-provider", "FILE.so", ValueKind::File, OptionGroup::Instead, Enters{Mode::CheckProvider}, false,
     "for the author of a provider: compiles its texts, has its probes enabled and fire while -c COMMAND runs, and "
     "says "
     "what is wrong; -n asks for probes that it makes on demand"},
    {0, "completion", "SHELL", ValueKind::Shell, OptionGroup::Instead, Enters{Mode::Completion}, false,
     "prints the completions for bash, zsh or fish"},
    {0, "help", "[TOPIC]", ValueKind::Topic, OptionGroup::Instead, Enters{Mode::Help}, true,
     "this text, or one about a topic: --help=topics lists them"},
    {'V', "version", "", kNoValue, OptionGroup::Instead, Enters{Mode::Version}, true, "prints the version"},
    {'G', "object", "", kNoValue, OptionGroup::Instead, Refuses{"USDT is not there yet"}, false,
     "is refused: USDT is not there yet"},
    {'h', "header", "", kNoValue, OptionGroup::Instead, Refuses{"USDT is not there yet\n    --help prints the options"},
     false, "is refused: USDT is not there yet"},
    {'a', "claim", "", kNoValue, OptionGroup::Instead,
     Refuses{"anonymous tracing is not there: Sonde traces from its start on"}, false,
     "is refused, as -A: Sonde traces from its start on"},
    {'A', "anonymous", "", kNoValue, OptionGroup::Instead,
     Refuses{"anonymous tracing is not there: Sonde traces from its start on"}, false,
     "is refused, as -a: Sonde traces from its start on"},
});

/// "what to trace"
std::string_view title(OptionGroup group);
/// As a user types it: "-q", or "--summary" where it has no letter.
std::string label(const CommandLineOption& option);
/// All its forms, with the value: "-o, --output=FILE".
std::string forms(const CommandLineOption& option);
/// "-e, -l, -V, --repl": the options that say what to do instead of tracing.
std::string modes();

constexpr bool takes_value(const CommandLineOption& option) { return !option.value.empty(); }
constexpr bool value_is_optional(const CommandLineOption& option) { return option.value.starts_with('['); }

}  // namespace sonde
