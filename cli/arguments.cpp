// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of a word that belongs to no option
//
//   sonde help | version            what it says
//   sonde FILE.d ...                a script (is_script_file()); words that follow are $1, $2, ...
//   sonde PROGRAM ARGS              a program to trace; all that follows is its own
//   sonde -n TEXT WORD              a macro argument
//   sonde WORD -n TEXT              a macro argument too, unless a program has that name
//
// So getopt must not reorder the words (its letters begin with -), and each word is judged when it comes, by what was
// given before it. Only names of files are looked up; the only file that is opened is one whose first line may be #!.
#include "cli/arguments.h"

#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <span>
#include <sstream>
#include <utility>
#include <variant>

#include "cli/options_table.h"
#include "cli/sources.h"
#include "cli/words.h"
#include "compiler/source/other_words.h"
#include "runtime/base/suggest.h"

namespace sonde {

namespace {

constexpr int kWord = 1;  ///< what getopt returns for a word that belongs to no option
/// getopt returns this for the long form of kCommandLine[n - kFirstLong].
constexpr int kFirstLong = 256;

/// What getopt_long() asks for. The leading '-' makes it return words in place; ':' lets us word the errors.
struct Accepted {
  std::string letters = "-:";
  std::vector<option> names;

  Accepted() {
    for (size_t i = 0; i < kCommandLine.size(); i++) {
      const CommandLineOption& row = kCommandLine[i];
      const int argument = value_is_optional(row) ? optional_argument
                           : takes_value(row)     ? required_argument
                                                  : no_argument;
      if (row.letter != 0) letters.append(1, row.letter).append(argument == required_argument ? ":" : "");
      if (!row.name.empty()) names.push_back({row.name.data(), argument, nullptr, kFirstLong + static_cast<int>(i)});
    }
    names.push_back({});
  }
};

/// The row that getopt's answer stands for; null: none.
const CommandLineOption* find_option(int answer) {
  if (answer >= kFirstLong) return &kCommandLine.at(static_cast<size_t>(answer - kFirstLong));
  const auto row = std::ranges::find(kCommandLine, static_cast<char>(answer), &CommandLineOption::letter);
  return answer == 0 || row == kCommandLine.end() ? nullptr : &*row;
}

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
    const Accepted accepted;
    for (int answer;
         (answer = getopt_long(argc, argv, accepted.letters.c_str(), accepted.names.data(), nullptr)) != -1;) {
      if (!take(answer, argv)) return false;
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
  bool take(int answer, char** argv) {
    const std::string value = optarg != nullptr ? optarg : "";
    if (answer == kWord) return word(value);
    if (answer == ':') return fail("option requires an argument -- '" + bare(label(*find_option(optopt))) + "'", true);
    if (answer == '?') return unknown(argv);
    const CommandLineOption& option = *find_option(answer);
    typed_ = answer < kFirstLong ? label(option) : "--" + std::string(option.name);
    return std::visit([&](const auto& effect) { return apply(effect, value); }, option.effect);
  }

  bool apply(const GivesText& effect, const std::string& value) { return program(effect.kind, value); }

  /// A fixed value excludes those of other options.
  bool apply(const Sets& effect, const std::string& value) {
    if (effect.value == nullptr) return set(effect.option, value);
    const auto [known, is_new] = fixed_.try_emplace(effect.option, effect.value, typed_);
    if (!is_new && known->second.first != effect.value)
      return fail("only one of " + known->second.second + " and " + typed_ + " may be given", true);
    return set(effect.option, effect.value);
  }

  bool apply(const Enters& effect, const std::string& value) {
    if (effect.mode == Mode::CheckProvider) arguments_.providers = {value};
    if (effect.mode == Mode::Help || effect.mode == Mode::Completion) arguments_.topic = value;
    return (effect.mode != Mode::List || set("zdefs")) && mode(effect.mode);
  }

  bool apply(const Refuses& effect, const std::string&) {
    return fail(below(typed_ + ": " + effect.why, hint_on_program()), false);
  }

  bool apply(Does effect, const std::string& value) {
    switch (effect) {
      case Does::StartsCommand: return command(value);
      case Does::Attaches: return target(value);
      case Does::NamesOutput: arguments_.output = value; return true;
      case Does::SetsOption: arguments_.settings.push_back(setting(value)); return true;
      case Does::IsVerbose: arguments_.verbose = true; return true;
      case Does::Disassembles: arguments_.disassemble = true; return true;
      case Does::Sums: arguments_.summary = true; return true;
      case Does::Loads: arguments_.providers.push_back(value); return true;
    }
    return false;
  }

  /// "n" of "-n"; a long form stays as it is.
  static std::string bare(const std::string& form) { return form.starts_with("--") ? form : form.substr(1); }

  /// A letter is rather of the program; a long option of another tracer, or misspelt.
  bool unknown(char** argv) {
    const std::string option = unknown_option(argv);
    const bool is_long = option.starts_with("--");
    std::string hint(hint_on_other_word(OtherWord::Kind::Option, option));
    if (hint.empty() && is_long) hint = hint_on_long_option(option);
    if (const std::string of_program = hint_on_program(); !of_program.empty() && (!is_long || hint.empty()))
      hint = of_program;
    return fail(below("invalid option -- '" + bare(option) + "'", hint), true);
  }

  /// For one that no row has, or that several begin with.
  static std::string hint_on_long_option(const std::string& typed) {
    const std::string name = typed.substr(2, typed.find('=') - 2);
    Suggestion suggestion(name);
    for (const CommandLineOption& row : kCommandLine)
      if (!row.name.empty()) suggestion.offer(row.name, "--" + std::string(row.name));
    return suggestion.hint();
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
      if (one.starts_with("--probe") || one.starts_with("--script")) return true;
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
      const std::span<char*> rest = argv_.subspan(static_cast<size_t>(optind));
      if (own->mode == Mode::Help && !rest.empty()) arguments_.topic = rest.front();
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
    arguments_.settings.push_back({option, value, typed_});
    return true;
  }

  bool mode(Mode mode) {
    if (arguments_.mode != Mode::Trace && arguments_.mode != mode)
      return fail("only one of these may be given: " + modes(), true);
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
  std::string typed_;                                                 ///< the option at hand, as typed
  std::map<std::string, std::pair<std::string, std::string>> fixed_;  ///< by option of -x: its value, who gave it
  bool is_done_ = false;                                              ///< the rest of the words is not ours
};

}  // namespace

bool parse_arguments(int argc, char** argv, Arguments& arguments, BadArguments& bad) {
  return Parser(arguments, bad).parse(argc, argv);
}

}  // namespace sonde
