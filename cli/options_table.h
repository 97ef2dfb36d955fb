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

enum class OptionGroup : uint8_t { What, Whom, Calls, How, Output, Preprocessor, Instead };

/// What its value is, which decides what a shell completes.
enum class ValueKind : uint8_t { None, Text, File, Folder, Command, Pid, Probe, Setting, Format, Topic, Shell };

// What an option does.
struct GivesText {  ///< its value is a text of clauses, or names one
  SourceText::Kind kind;
};
struct Sets {  ///< sets an option of -x
  const char* option;
  const char* value;               ///< null: the value that is typed
  const char* in_calls = nullptr;  ///< the letter is strace's, too, and does nothing without a script: what to do then
};
struct Enters {  ///< Only one mode may be entered.
  Mode mode;
};
struct Refuses {
  const char* why;
};
enum class Does : uint8_t {
  StartsCommand,
  Attaches,
  NamesOutput,
  SetsOption,
  IsVerbose,
  Disassembles,
  Sums,
  Watches,
  Loads,
  SetsVariable,
  SetsUser,
  ShowsAll,
  SumsOffCpu,
  SortsSummary,
};
/// Decides which calls the list of calls has, or what its lines show. It is refused beside a script.
struct OfCalls {
  enum class What : uint8_t {
    Trace,
    Status,
    Signals,
    Path,
    Successful,
    Failed,
    Clock,
    Relative,
    Durations,
    Stacks,
    Descriptors,
    Names,
    Separately,
    Inject,
    Fault,
  };
  What what;
  const char* in_a_clause;  ///< how a script says it; null: it cannot
};

using OptionEffect = std::variant<GivesText, Sets, Enters, Refuses, Does, OfCalls>;

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
     "runs clauses: -n 'syscall::openat:entry { trace(copyinstr(arg1)); }'"},
    {'s', "script", "FILE", ValueKind::File, OptionGroup::What, GivesText{SourceText::Kind::Script}, true,
     "runs a script; - is standard input"},
    {'P', "probe-provider", "PROVIDER", ValueKind::Probe, OptionGroup::What, GivesText{SourceText::Kind::Provider},
     false, "runs clauses for all probes of a provider"},
    {'m', "probe-module", "MODULE", ValueKind::Probe, OptionGroup::What, GivesText{SourceText::Kind::Module}, false,
     "runs clauses for all probes of a module: [PROVIDER:]MODULE"},
    {'f', "probe-function", "FUNCTION", ValueKind::Probe, OptionGroup::What, GivesText{SourceText::Kind::Function},
     false, "runs clauses for all probes of a function: [[PROVIDER:]MODULE:]FUNCTION"},
    {'i', "probe-id", "ID", ValueKind::Text, OptionGroup::What, GivesText{SourceText::Kind::Name}, false,
     "runs clauses for the probe with this number in -l"},
    {0, "summary", "[BY]", ValueKind::Text, OptionGroup::What, Does::Sums, true,
     "prints calls, errors and time of each system call at the end, as strace -c; BY: " SONDE_SUMMARY_BY},
    {0, "summary-only", "", kNoValue, OptionGroup::What, Does::Sums, false, "the same, by strace's name"},
    {0, "summary-sort-by", "ORDER", ValueKind::Text, OptionGroup::What, Does::SortsSummary, false,
     "its rows by one of " SONDE_SUMMARY_ORDERS},

    {0, "off-cpu", "[FORMAT]", ValueKind::Format, OptionGroup::What, Does::SumsOffCpu, false,
     "sums the time in system calls, in ns, by user stack: for flame graphs; FORMAT: folded or svg"},

    {'c', "command", "COMMAND", ValueKind::Command, OptionGroup::Whom, Does::StartsCommand, true,
     "starts a command ($target) and ends when it ends: -c 'ls -l'"},
    {'p', "attach", "PID", ValueKind::Pid, OptionGroup::Whom, Does::Attaches, true,
     "attaches to a process and to the children that it starts from then on"},

    {'E', "env", "NAME[=VALUE]", ValueKind::Text, OptionGroup::Whom, Does::SetsVariable, false,
     "sets a variable in the environment of commands, or without a value removes it"},

    {'u', "user", "USER", ValueKind::Text, OptionGroup::Whom, Does::SetsUser, false,
     "runs commands as this user, with the user's groups; for root"},

    {0, "cgroup", "PATH|GLOB|ID", ValueKind::Text, OptionGroup::Whom, Sets{"cgroup", nullptr}, false,
     "only threads in this cgroup, or below it: each clause has that as a predicate"},
    {0, "container", "NAME", ValueKind::Text, OptionGroup::Whom, Sets{"container", nullptr}, false,
     "only threads in this container: its name, or the beginning of its id"},

    {0, "trace", "SET", ValueKind::Text, OptionGroup::Calls, OfCalls{OfCalls::What::Trace, "syscall::NAME:entry"}, true,
     "only these calls: --trace=openat,close, %file, /^open, !%memory; also -e trace=SET"},
    {0, "status", "SET", ValueKind::Text, OptionGroup::Calls, OfCalls{OfCalls::What::Status, "/errno == 0/"}, false,
     "only calls that end so: successful, failed, unfinished"},
    {0, "trace-path", "PATH", ValueKind::File, OptionGroup::Calls,
     OfCalls{OfCalls::What::Path, "/fds[arg0].fi_pathname == \"PATH\"/"}, true,
     "only calls that name this path, or use a descriptor that is open on it; also -P with a /"},
    {'z', "successful-only", "", kNoValue, OptionGroup::Calls, OfCalls{OfCalls::What::Successful, "/errno == 0/"},
     false, "only calls that succeed"},
    {0, "failed-only", "", kNoValue, OptionGroup::Calls, OfCalls{OfCalls::What::Failed, "/errno != 0/"}, true,
     "only calls that fail; without a script also -Z"},
    {0, "signal", "SET", ValueKind::Text, OptionGroup::Calls,
     OfCalls{OfCalls::What::Signals, "signal:::deliver /arg0 == SIGUSR1/"}, false,
     "only these signals: --signal=USR1,INT, none, !CHLD"},
    {'t', "absolute-timestamps", "[FORMAT]", ValueKind::Text, OptionGroup::Calls,
     OfCalls{OfCalls::What::Clock, "printf(\"%Y\", walltimestamp)"}, true,
     "the time of day of each call; -tt: with microseconds, -ttt: seconds since 1970. FORMAT: time, unix, s, ms, us, "
     "ns"},
    {'r', "relative-timestamps", "[PRECISION]", ValueKind::Text, OptionGroup::Calls,
     OfCalls{OfCalls::What::Relative, "timestamp, less that of the line before"}, false,
     "the time since the call on the line before; PRECISION: s, ms, us, ns"},
    {'T', "syscall-times", "[PRECISION]", ValueKind::Text, OptionGroup::Calls,
     OfCalls{OfCalls::What::Durations, "self->t = timestamp at entry; timestamp - self->t at return"}, true,
     "how long each call takes"},
    {'k', "stack-traces", "", kNoValue, OptionGroup::Calls, OfCalls{OfCalls::What::Stacks, "ustack()"}, true,
     "the user stack of each call"},
    {'y', "decode-fds", "[SET]", ValueKind::Text, OptionGroup::Calls,
     OfCalls{OfCalls::What::Descriptors, "fds[arg0].fi_pathname"}, false,
     "what descriptors are open on: the default; SET: path or none"},
    {'Y', "decode-pids", "[SET]", ValueKind::Text, OptionGroup::Calls, OfCalls{OfCalls::What::Names, "execname"}, false,
     "the program's name behind each thread's number: the default for the whole machine; SET: comm or none"},
    {0, "inject", "SET:WHAT", ValueKind::Text, OptionGroup::Calls,
     OfCalls{OfCalls::What::Inject, "inject(-ENOENT), with -w"}, true,
     "changes calls, as --inject=openat:error=ENOENT:when=3+: error=E, retval=N, signal=S, delay_enter=TIME, "
     "delay_exit=TIME"},
    {0, "fault", "SET[:error=E]", ValueKind::Text, OptionGroup::Calls,
     OfCalls{OfCalls::What::Fault, "inject(-ENOSYS), with -w"}, false,
     "calls fail, with ENOSYS or that error; otherwise as --inject"},
    {0, "no-abbrev", "", kNoValue, OptionGroup::Calls, Does::ShowsAll, false,
     "structures, environments and texts in full; without a script also -v"},
    {0, "string-limit", "BYTES", ValueKind::Text, OptionGroup::Calls, Sets{"argstrsize", nullptr}, false,
     "how much of each text and buffer is shown: 32, at most 4096 (paths are whole)"},
    {0, "output-separately", "", kNoValue, OptionGroup::Calls,
     OfCalls{OfCalls::What::Separately, "freopen(\"FILE.%d\", pid), with -w"}, false,
     "the calls of each thread go to a file of their own: -o FILE gives FILE.PID; also -ff"},

    {'q', "quiet", "", kNoValue, OptionGroup::Output, Sets{"quiet", ""}, true, "prints only what the script prints"},
    {'o', "output", "FILE", ValueKind::File, OptionGroup::Output, Does::NamesOutput, true,
     "appends the output to a file; messages stay on standard error"},
    {0, "format", "FORMAT", ValueKind::Format, OptionGroup::Output, Sets{"format", nullptr}, true,
     "sets the format: text, or for other programs jsonl, csv, folded, svg, chrome"},
    {0, "host", "NAME", ValueKind::Text, OptionGroup::Output, Sets{"host", nullptr}, false,
     "sets the name of this host in output for other programs"},
    {0, "labels", "K=V,...", ValueKind::Text, OptionGroup::Output, Sets{"labels", nullptr}, false,
     "sets labels of the run in output for other programs"},
    {0, "interval", "TIME", ValueKind::Text, OptionGroup::Output, Sets{"interval", nullptr}, true,
     "prints the aggregations at this interval, as 10s; SIGUSR1 prints them once"},
    {0, "delta", "", kNoValue, OptionGroup::Output, Sets{"temporality", "delta"}, false,
     "each print of the aggregations shows what is new since the last one"},
    {0, "cumulative", "", kNoValue, OptionGroup::Output, Sets{"temporality", "cumulative"}, false,
     "each print of the aggregations shows everything since the start"},
    {0, "watch", "[@NAME]", ValueKind::Text, OptionGroup::Output, Does::Watches, true,
     "shows an aggregation, or all, again and again in its place: each second, or as in --watch='@NAME 5s'"},
    {0, "diagnostics", "FORM", ValueKind::Text, OptionGroup::Output, Sets{"diagnostics", nullptr}, false,
     "how compile errors are shown: place (FILE:LINE:COLUMN: error: REASON), json (an object a line, for editors), or "
     "dtrace"},
    {'F', "flow-indent", "", kNoValue, OptionGroup::Output, Sets{"flowindent", ""}, true,
     "indents by entry and return; on a terminal as a tree, with the time of each call"},
    {0, "min-time", "TIME", ValueKind::Text, OptionGroup::Output, Sets{"mintime", nullptr}, false,
     "-F leaves out calls that take less time than this, as 1ms"},

    {'w', "destructive", "", kNoValue, OptionGroup::How, Sets{"destructive", ""}, true,
     "permits destructive actions: stop(), raise(), system()"},
    {'Z', "allow-no-match", "", kNoValue, OptionGroup::How, Sets{"zdefs", ""}, true,
     "permits descriptions that match nothing yet"},
    {0, "duration", "TIME", ValueKind::Text, OptionGroup::How, Sets{"duration", nullptr}, true,
     "ends the run after this time, as 10s"},
    {0, "exit-on-eof", "", kNoValue, OptionGroup::How, Sets{"eofexit", ""}, false,
     "ends the run when standard input ends"},
    {'x', "set", "NAME[=VALUE]", ValueKind::Setting, OptionGroup::How, Does::SetsOption, true,
     "sets an option of D, as #pragma D option does; -x help lists all"},
    {'b', "buffer-size", "SIZE", ValueKind::Text, OptionGroup::How, Sets{"bufsize", nullptr}, false,
     "sets the size of each principal buffer, as 4m"},
    {'L', "library-folder", "DIR", ValueKind::Folder, OptionGroup::How, Sets{"libdir", nullptr}, false,
     "adds a directory of D libraries"},
    {0, "provider", "FILE.so", ValueKind::File, OptionGroup::How, Does::Loads, true,
     "loads a provider, in addition to those in $SONDE_PROVIDER_PATH"},
    {'v', "verbose", "", kNoValue, OptionGroup::How, Does::IsVerbose, false,
     "prints the stability of a script; with -l, the arguments of the probes; without a script, as --no-abbrev"},
    {'3', "32", "", kNoValue, OptionGroup::How, Sets{"ilp32", ""}, false,
     "long and pointers in the program's memory have 4 bytes"},
    {'2', "", "", kNoValue, OptionGroup::How, Sets{"ilp32", ""}, false, ""},  // -32 is two letters to getopt
    {'6', "64", "", kNoValue, OptionGroup::How, Sets{"ilp32", "no"}, false,
     "long and pointers in the program's memory have 8 bytes"},
    {'4', "", "", kNoValue, OptionGroup::How, Sets{"ilp32", "no"}, false, ""},

    {'C', "preprocess", "", kNoValue, OptionGroup::Preprocessor,
     Sets{"cpp", "", "--summary sums the calls of a program; sonde PROGRAM lists them"}, true,
     "runs cpp on scripts first; -D, -U, -I, -H and -X are for it"},
    {'D', "define", "NAME[=TEXT]", ValueKind::Text, OptionGroup::Preprocessor,
     Sets{"define", nullptr, "sonde ... & runs it in the background"}, false, "defines a macro"},
    {'U', "undefine", "NAME", ValueKind::Text, OptionGroup::Preprocessor,
     Sets{"undef", nullptr, "--summary has calls, errors and time"}, false, "removes a macro"},
    {'I', "include-folder", "DIR", ValueKind::Folder, OptionGroup::Preprocessor,
     Sets{"incdir", nullptr, "signals reach program and sonde as they do without tracing"}, false,
     "adds a directory of included files"},
    {'H', "show-headers", "", kNoValue, OptionGroup::Preprocessor, Sets{"cpphdrs", ""}, false,
     "prints the names of included files"},
    {'X', "stdc", "a|c|s|t", ValueKind::Text, OptionGroup::Preprocessor, Sets{"stdc", nullptr}, false,
     "sets the value of __STDC__"},

    {'l', "list", "", kNoValue, OptionGroup::Instead, Enters{Mode::List}, true,
     "lists probes: -l 'syscall::*open*:'; with -v their arguments"},
    {'e', "compile-only", "", kNoValue, OptionGroup::Instead, Enters{Mode::CompileOnly}, true, "only compiles"},
    {'S', "disassemble", "", kNoValue, OptionGroup::Instead, Does::Disassembles, false,
     "prints the fire part of each clause; with -e, only that"},
    {0, "repl", "", kNoValue, OptionGroup::Instead, Enters{Mode::Prompt}, true,
     "starts the prompt, as sonde alone does on a terminal"},
    {0, "why", "", kNoValue, OptionGroup::Instead, Enters{Mode::Why}, true,
     "says why the processes of -p do not go on: who waits for whom, and which of them are in a deadlock"},
    {0, "check-provider", "FILE.so", ValueKind::File, OptionGroup::Instead, Enters{Mode::CheckProvider}, false,
     "for provider authors: enables every probe while -c COMMAND runs, and reports errors; -n names probes that the "
     "provider makes on demand"},
    {0, "completion", "SHELL", ValueKind::Shell, OptionGroup::Instead, Enters{Mode::Completion}, false,
     "prints the completion script for bash, zsh or fish"},
    {0, "help", "[TOPIC]", ValueKind::Topic, OptionGroup::Instead, Enters{Mode::Help}, true,
     "prints this text, or one about a topic; --help=topics lists them"},
    {'V', "version", "", kNoValue, OptionGroup::Instead, Enters{Mode::Version}, true, "prints the version"},
    {'h', "header", "", kNoValue, OptionGroup::Instead, Enters{Mode::Header}, true,
     "writes the C header of a program's own probes, from their declarations: -h -s myapp.d makes myapp.h, or -o FILE"},
    {'G', "object", "", kNoValue, OptionGroup::Instead, Enters{Mode::Object}, false,
     "for makefiles that link one: writes an object for the same probes, as -G -s myapp.d -o myapp.o OBJECTS; it "
     "changes "
     "no other object"},
    {'a', "claim", "", kNoValue, OptionGroup::Instead,
     Refuses{"anonymous tracing is not there: Sonde traces from its start on"}, false,
     "is refused, as -A: Sonde traces from its start on"},
    {'A', "anonymous", "", kNoValue, OptionGroup::Instead,
     Refuses{"anonymous tracing is not there: Sonde traces from its start on"}, false,
     "is refused, as -a: Sonde traces from its start on"},
});

/// A first word of the command line that is a command of its own. A program of that name: sonde -- NAME.
struct Subcommand {
  std::string_view name;
  std::string_view words;  ///< that may follow, for texts
  Mode mode;
  std::string_view sentence;
};

inline constexpr std::array kSubcommands = std::to_array<Subcommand>({
    {"doctor", "[--json] [PROGRAM]", Mode::Doctor, "what works on this machine, what does not, and what to type"},
    {"help", "[TOPIC]", Mode::Help, "as --help"},
    {"version", "", Mode::Version, "as --version"},
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
