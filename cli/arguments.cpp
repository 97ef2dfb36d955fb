// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of a word that belongs to no option
//
//   sonde help | version            what it says
//   sonde FILE.d ...                a script (is_script_file()); words that follow are $1, $2, ...
//   sonde PROGRAM ARGS              a program to trace; all that follows is its own
//   sonde -n TEXT WORD              a macro argument
//   sonde WORD -n TEXT              a macro argument too, unless a program has that name
//
// So getopt must not reorder the words (kLetters begins with -), and each word is judged when it comes, by what was
// given before it. Only names of files are looked up; the only file that is opened is one whose first line may be #!.
#include "cli/arguments.h"

#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <sstream>
#include <utility>

#include "cli/output.h"
#include "cli/sources.h"
#include "cli/words.h"
#include "compiler/source/other_words.h"

namespace sonde {

namespace {

enum LongOption {
  kRepl = 256,
  kCheckProvider,
  kCumulative,
  kDelta,
  kExitOnEof,
  kHelp,
  kProvider,
  kSummary,
  kVersion,
  kSetting
};

const option kLongOptions[] = {
    {"repl", no_argument, nullptr, kRepl},
    {"delta", no_argument, nullptr, kDelta},
    {"cumulative", no_argument, nullptr, kCumulative},
    {"exit-on-eof", no_argument, nullptr, kExitOnEof},
    {"help", no_argument, nullptr, kHelp},
    {"provider", required_argument, nullptr, kProvider},
    {"check-provider", required_argument, nullptr, kCheckProvider},
    {"summary", no_argument, nullptr, kSummary},
    {"version", no_argument, nullptr, kVersion},
    // --NAME VALUE is -x NAME=VALUE.
    {"duration", required_argument, nullptr, kSetting},
    {"format", required_argument, nullptr, kSetting},
    {"host", required_argument, nullptr, kSetting},
    {"interval", required_argument, nullptr, kSetting},
    {"labels", required_argument, nullptr, kSetting},
    {nullptr, 0, nullptr, 0},
};

// Every option letter of DTrace. The leading '-' makes getopt return words in place; ':' lets us word the errors.
constexpr char kLetters[] = "-:36aAb:c:CD:eFf:GhHi:I:lL:m:n:o:p:P:qs:SU:vVwx:X:Z24";

/// A wrapper that passes option and value as one word makes "-p 123" arrive as " 123".
std::string trimmed(const std::string& text) {
  size_t begin = text.find_first_not_of(" \t");
  size_t end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

bool parse_pid(const std::string& text, uint32_t& pid) {
  std::string digits = trimmed(text);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  return error == std::errc() && end == digits.data() + digits.size() && pid != 0;
}

Arguments::Setting setting(const std::string& text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, ""};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// First words of a command line that are subcommands.
struct Subcommand {
  std::string_view name;
  Mode mode;
};
constexpr Subcommand kSubcommands[] = {{"help", Mode::Help}, {"version", Mode::Version}};

/// Whether the command of a -c has a word that only a shell understands.
bool wants_shell(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 9> kOperators = {"|", "||", "&&", "&", ";", ">", ">>", "<", "2>&1"};
  return std::ranges::find_first_of(words, kOperators) != words.end();
}

/// Whether it can follow strace's -e.
bool is_expression_of_strace(std::string_view word) {
  constexpr std::array<std::string_view, 7> kQualifiers = {
      "abbrev=", "inject=", "raw=", "signal=", "status=", "trace=", "verbose="};
  return std::ranges::any_of(kQualifiers, [&](std::string_view one) { return word.starts_with(one); });
}

/// Whether a shell would find it.
bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return true;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

class Parser {
 public:
  Parser(Arguments& arguments, BadArguments& bad) : arguments_(arguments), bad_(bad) {}

  bool parse(int argc, char** argv) {
    optind = 0;  // 1 would let getopt go on in the last word of the call before
    opterr = 0;
    argv_ = {argv, static_cast<size_t>(argc)};
    for (int letter, which = 0; (letter = getopt_long(argc, argv, kLetters, kLongOptions, &which)) != -1;) {
      if (letter == kSetting) {
        const std::string name = kLongOptions[which].name;
        arguments_.settings.push_back({name, optarg, "--" + name});
        continue;
      }
      if (!take(letter, argv)) return false;
      if (is_done_) return true;
    }
    const std::vector<std::string> rest(argv_.begin() + optind, argv_.end());
    if (!rest.empty() && names_what_to_run()) {
      arguments_.commands.push_back(rest);
    } else {
      arguments_.words.insert(arguments_.words.end(), rest.begin(), rest.end());
    }
    return consistent();
  }

 private:
  bool take(int letter, char** argv) {
    std::string value = optarg != nullptr ? optarg : "";
    switch (letter) {
      case 1: return word(value);
      case 's': return program(SourceText::Kind::Script, value);
      case 'n': return program(SourceText::Kind::Name, value);
      case 'P': return program(SourceText::Kind::Provider, value);
      case 'm': return program(SourceText::Kind::Module, value);
      case 'f': return program(SourceText::Kind::Function, value);
      case 'i': return program(SourceText::Kind::Name, value);
      case 'c': return command(value);
      case 'p': return target(value);
      case 'o': arguments_.output = value; return true;
      case 'x': arguments_.settings.push_back(setting(value)); return true;
      case 'b': arguments_.settings.push_back({"bufsize", value, "-b"}); return true;
      case 'q': return set("quiet");
      case 'w': return set("destructive");
      case 'Z': return set("zdefs");
      case 'F': return set("flowindent");
      case 'v': arguments_.verbose = true; return true;
      case 'S': arguments_.disassemble = true; return true;
      case 'e': return mode(Mode::CompileOnly);
      case 'l': return set("zdefs") && mode(Mode::List);
      case 'V':
      case kVersion: return mode(Mode::Version);
      case kExitOnEof: return set("eofexit");
      case kDelta: return temporality("delta");
      case kCumulative: return temporality("cumulative");
      case kHelp: return mode(Mode::Help);
      case kRepl: return mode(Mode::Prompt);
      case kSummary: arguments_.summary = true; return true;
      case kProvider: arguments_.providers.push_back(value); return true;
      case kCheckProvider: arguments_.providers = {value}; return mode(Mode::CheckProvider);
      case '6':
      case '4': return set("ilp32", "no");  // -64
      case '3':
      case '2': return set("ilp32");  // -32
      case 'C': return set("cpp");
      case 'H': return set("cpphdrs");
      case 'D': return set("define", value);
      case 'U': return set("undef", value);
      case 'I': return set("incdir", value);
      case 'X': return set("stdc", value);
      case 'L': return set("libdir", value);
      case 'G': return fail("-G: USDT is not there yet", false);
      case 'h': return fail("-h: USDT is not there yet\n    --help prints the options", false);
      case 'a':
      case 'A':
        return fail(below("anonymous tracing is not there: Sonde traces from its start on", hint_on_program()), false);
      case ':': return fail("option requires an argument -- '" + std::string(1, static_cast<char>(optopt)) + "'", true);
      default: {
        const std::string option = unknown_option(argv);
        const std::string_view word = hint_on_other_word(OtherWord::Kind::Option, option);
        const std::string of_program = hint_on_program();
        // A letter is rather of the program; a long option of another tracer.
        const std::string hint =
            of_program.empty() || (option.starts_with("--") && !word.empty()) ? std::string(word) : of_program;
        return fail(below("invalid option -- '" + option.substr(option.starts_with("--") ? 0 : 1) + "'", hint), true);
      }
    }
  }

  static std::string below(const std::string& message, const std::string& hint) {
    return hint.empty() ? message : message + "\n    " + hint;
  }

  /// For an option that is a program's, as in `-f ls -la` (strace's -f) and `-c ls -la`; empty: it is not.
  std::string hint_on_program() const {
    const auto& texts = arguments_.programs;
    if (texts.size() == 1 && texts.front().kind == SourceText::Kind::Function && is_program(texts.front().text))
      return "-f takes the name of a function; a program is traced by: sonde PROGRAM ARGS";
    if (texts.empty() && !arguments_.commands.empty()) return hint_on_command();
    return {};
  }

  std::string hint_on_command() const {
    return "-c takes the whole command in one word, as in -c 'ls -l'; or without -c: sonde ls -l";
  }

  /// The unknown option as typed: "-k", "--json".
  static std::string unknown_option(char** argv) {
    if (optopt != 0 && optopt < 256) return std::string("-") + static_cast<char>(optopt);
    return argv[optind - 1];
  }

  bool program(SourceText::Kind kind, const std::string& text) {
    arguments_.programs.push_back({kind, text});
    return true;
  }

  /// Whether a word names the program to run: nothing has said yet what or whom to trace.
  bool names_what_to_run() const {
    return arguments_.mode == Mode::Trace && arguments_.programs.empty() && arguments_.commands.empty() &&
           arguments_.pids.empty() && arguments_.words.empty();
  }

  /// As in `sonde word -n TEXT`: the word is a macro argument.
  bool script_follows() const {
    return std::any_of(argv_.begin() + optind, argv_.end(), [](std::string_view one) {
      return one.size() > 1 && one[0] == '-' && std::string_view("snPmfi").find(one[1]) != one.npos;
    });
  }

  /// Handles a word that belongs to no option: a macro argument, unless no script was given before it.
  bool word(const std::string& text) {
    const bool may_be_script = arguments_.programs.empty() && arguments_.words.empty() &&
                               (arguments_.mode == Mode::Trace || arguments_.mode == Mode::CompileOnly);
    const Subcommand* own = names_what_to_run() ? std::ranges::find(kSubcommands, text, &Subcommand::name) : nullptr;
    if (own != nullptr && own != std::end(kSubcommands)) {
      is_done_ = true;
      return mode(own->mode);
    }
    if (may_be_script && is_script_file(text)) return program(SourceText::Kind::Script, text);
    if (may_be_script && is_expression_of_strace(text))
      return fail(
          "no probes specified\n    -e compiles only; some calls of a program: -n 'syscall::openat:return { "
          "printf(\"%s(%s) = %s\\n\", "
          "probefunc, argstr, retstr); }' -c PROGRAM",
          false);
    if (may_be_script && text.find_first_of("{:") != std::string::npos && text.find('/') != 0)
      return fail("no probes specified\n    did you mean -n '" + text + "'?", false);
    if (!names_what_to_run() || (!is_program(text) && script_follows())) {
      arguments_.words.push_back(text);
      return true;
    }
    // The options of that program are its own.
    arguments_.commands.emplace_back(argv_.begin() + optind - 1, argv_.end());
    is_done_ = true;
    return consistent();
  }

  bool command(const std::string& text) {
    auto words = split_words(text);
    if (!words) return fail("-c: " + words.error().message(), false);
    if (wants_shell(*words))
      arguments_.remarks.push_back("-c starts no shell, the words all go to " + words->front() +
                                   "\n    for a shell: -c \"sh -c '" + text + "'\"");
    arguments_.commands.push_back(std::move(*words));
    return true;
  }

  bool target(const std::string& value) {
    uint32_t pid = 0;
    if (!parse_pid(value, pid)) {
      const bool number = trimmed(value).find_first_not_of("0123456789") == std::string::npos;
      return fail("invalid pid: " + value + (number ? "" : "\n    -p takes a number: pgrep " + value + " finds it"),
                  false);
    }
    arguments_.pids.push_back(pid);
    return true;
  }

  bool set(const char* option, const std::string& value = "") {
    arguments_.settings.push_back({option, value});
    return true;
  }

  bool temporality(const std::string& value) {
    if (!temporality_.empty() && temporality_ != value)
      return fail("only one of --delta and --cumulative may be given", true);
    temporality_ = value;
    return set("temporality", value);
  }

  bool mode(Mode mode) {
    if (arguments_.mode != Mode::Trace && arguments_.mode != mode)
      return fail("only one of -e, -l, -V, --check-provider and --repl may be given", true);
    arguments_.mode = mode;
    return true;
  }

  bool consistent() {
    if (argv_.size() <= 1) {
      bad_ = {};
      return false;
    }
    if (arguments_.mode == Mode::CheckProvider && !arguments_.pids.empty())
      return fail("-p: --check-provider has a program of its own, which -c names", false);
    if (!arguments_.programs.empty()) return true;
    if (arguments_.mode == Mode::List) {
      arguments_.lists_words = !arguments_.words.empty();
      for (std::string& pattern : std::exchange(arguments_.words, {})) program(SourceText::Kind::Name, pattern);
    }
    arguments_.no_script = arguments_.mode == Mode::Trace && !(arguments_.commands.empty() && arguments_.pids.empty());
    if (arguments_.no_script && !arguments_.words.empty())
      return fail(below("extraneous argument '" + arguments_.words.front() + "'",
                        arguments_.commands.empty() ? "each process has its own -p" : hint_on_command()),
                  false);
    return true;
  }

  bool fail(const std::string& message, bool usage) {
    bad_.message = message;
    bad_.usage = usage;
    return false;
  }

  Arguments& arguments_;
  BadArguments& bad_;
  std::span<char*> argv_;
  std::string temporality_;  ///< of --delta or --cumulative
  bool is_done_ = false;     ///< the rest of the words is not ours
};

}  // namespace

bool parse_arguments(int argc, char** argv, Arguments& arguments, BadArguments& bad) {
  return Parser(arguments, bad).parse(argc, argv);
}

std::string usage() {
  return "Usage: " + program_name() +
         " [-32|-64] [-CeFHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]] [-I path] [-L path] [-o output]\n"
         "\t[-p pid] [-s script] [-U name] [-x opt[=val]] [-X a|c|s|t]\n"
         "\t[-P prov | -m [p:]mod | -f [[p:]m:]fun | -n [[[p:]m:]f:]name | -i id]\n"
         "\t[[predicate] action] [macro args ...]\n"
         "       " +
         program_name() +
         " [options] program [args ...]\n"
         "       " +
         program_name() +
         " [--repl]\n"
         "       " +
         program_name() + " --help\n";
}

std::string help() {
  return usage() +
         "\n"
         "  " +
         program_name() +
         " PROGRAM ARGS     every system call that a program makes, as strace shows them; -p PID alone: a process\n"
         "  " +
         program_name() +
         " SCRIPT.d         a script of this folder; -- PROGRAM: a program, whatever its name\n"
         "\n"
         "what to trace\n"
         "  -n TEXT     clauses, as in: -n 'syscall::openat:entry { trace(copyinstr(arg1)); }'\n"
         "  -s FILE     a script\n"
         "  -P, -m, -f  clauses for a provider, a module, a function; -i for a probe's id\n"
         "whom\n"
         "  -c COMMAND  starts a command ($target), and ends with it\n"
         "  -p PID      attaches to all threads of a process, and its children to come\n"
         "how\n"
         "  -q          prints only what the script prints\n"
         "  -o FILE     appends the output to FILE\n"
         "  --format=F  text, or for programs: jsonl and others; --host and --labels say of whom\n"
         "  -w          allows destructive actions: stop(), raise(), system()\n"
         "  -Z          descriptions may match nothing\n"
         "  -C          runs cpp on scripts first; -D, -U, -I, -H and -X are cpp's\n"
         "  -L DIR      adds a directory of D libraries\n"
         "  -F          indents by entry and return\n"
         "  --provider=FILE.so\n"
         "              loads a provider; also those of $SONDE_PROVIDER_PATH, and of PREFIX/lib/sonde/providers\n"
         "  --summary   calls, errors and time of each system call at the end, as strace -c\n"
         "  --duration=10s, --exit-on-eof   end the run by themselves\n"
         "  --interval=10s   prints the aggregations that often; so does SIGUSR1, once\n"
         "  -x OPT=VAL  sets an option; -x help lists them\n"
         "instead of tracing\n"
         "  -l [PROBE]  lists probes; with -v their arguments\n"
         "  -e          compiles, and does no more; -S shows the fire part\n"
         "  -V          prints the version\n"
         "  --check-provider=FILE.so\n"
         "              for its author: compiles its texts, has its probes enabled and fire while -c COMMAND runs, "
         "and says what is wrong; -n asks for probes that it makes on demand\n"
         "  --repl      the prompt (also: sonde alone, on a terminal)\n";
}

}  // namespace sonde
