// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of a word that belongs to no option
//
//   sonde help | version            what it says
//   sonde FILE.d ...                a script (is_script_file()); words that follow are $1, $2, ...
//   sonde TOOL ...                  a script that is found by its name (cli/tools/tools.h)
//   sonde PROGRAM ARGS              a program to trace; all that follows is its own
//   sonde -n TEXT WORD              a macro argument
//   sonde WORD -n TEXT              a macro argument too, unless a program has that name
//
// A script with a header (cli/tools/script_header.h) has options of its own, which stand behind it. If a word names it,
// as many words as its header has are $1, $2, ..., and what follows them is a program to trace, with all of its words.
//
// Some words have strace's meaning where there is no script: -e QUAL=SET, -ff, and -P with a path. take_whole_word()
// takes the first two before getopt, which would cut them into letters.
//
// So getopt must not reorder the words (its letters begin with -), and each word is judged when it comes, by what was
// given before it. Names of files are looked up; the files that are opened are scripts, and what may be one by its first
// line.
#include "cli/arguments.h"

#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "cli/call_options.h"
#include "cli/options_table.h"
#include "cli/sources.h"
#include "cli/tool_help.h"
#include "cli/tools/tools.h"
#include "cli/trimmed.h"
#include "cli/words.h"
#include "compiler/source/other_words.h"
#include "runtime/base/path_search.h"
#include "runtime/base/suggest.h"
#include "runtime/lang/options.h"

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

/// Whether the command of a -c has a word that only a shell understands.
bool wants_shell(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 9> kOperators = {"|", "||", "&&", "&", ";", ">", ">>", "<", "2>&1"};
  return std::ranges::find_first_of(words, kOperators) != words.end();
}

const CommandLineOption& option_named(std::string_view name) {
  return *std::ranges::find(kCommandLine, name, &CommandLineOption::name);
}

/// A predicate or a body in a word of its own.
bool is_rest_of_clause(const std::vector<std::string>& words) {
  if (words.empty() || words.front().empty()) return false;
  const std::string& first = words.front();
  return first.front() == '{' || first.front() == '}' ||
         (first.front() == '/' && first.size() > 1 && first.back() == '/');
}

}  // namespace

std::string hint_on_words(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words;
  if (is_rest_of_clause(words))
    return "the shell has cut the script into words: quote all of it, as in -n 'BEGIN { exit(0); }'";
  if (words.empty() || !arguments.commands.empty() || !arguments.pids.empty() || !search_path(words.front())) return {};
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + word;
  return "a program to run with the script goes to -c, before the script or behind it: -c '" + command + "'";
}

std::string hint_on_function(const Arguments& arguments) {
  const auto& texts = arguments.programs;
  if (texts.size() != 1 || texts.front().kind != SourceText::Kind::Function || !search_path(texts.front().text))
    return {};
  return "-f takes the name of a function; a program, with its children, is traced by: sonde PROGRAM ARGS";
}

namespace {

class Parser {
 public:
  Parser(Arguments& arguments, BadArguments& bad) : arguments_(arguments), bad_(bad), call_options_(arguments) {}

  bool parse(int argc, char** argv) {
    optind = 0;  // 1 would let getopt go on in the last word of the call before
    opterr = 0;
    argv_ = {argv, static_cast<size_t>(argc)};
    const Accepted accepted;
    getopt_long(1, argv, accepted.letters.c_str(), accepted.names.data(), nullptr);  // begins anew; optind is 1
    for (bool at_word = true;;) {
      if (at_word && static_cast<size_t>(optind) < argv_.size()) {
        if (const ScriptOption* option = script_option_at(static_cast<size_t>(optind))) {
          if (!script_option(*option)) return false;
          continue;
        }
      }
      if (at_word && takes_whole_word()) {
        if (!whole_word()) return false;
        continue;
      }
      const int before = optind;
      const int answer = getopt_long(argc, argv, accepted.letters.c_str(), accepted.names.data(), nullptr);
      if (answer == -1) break;
      at_word = optind != before;
      if (answer >= kFirstLong && is_abbreviated(argv[before], *find_option(answer))) return misspelt(argv[before]);
      if (!take(answer, argv)) return false;
      if (is_done_) return true;
    }
    const std::vector<std::string> rest(argv_.begin() + optind, argv_.end());
    if (!rest.empty() && (names_what_to_run() || is_whole_tool())) {
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
    if (answer == ':') return no_value(*find_option(optopt));
    if (answer == '?') return unknown(argv);
    const CommandLineOption& option = *find_option(answer);
    typed_ = answer < kFirstLong ? label(option) : "--" + std::string(option.name);
    option_ = &option;
    return std::visit([&](const auto& effect) { return apply(effect, value); }, option.effect);
  }

  /// getopt takes the first letters of a name for it. We do not: they are another option's tomorrow, and what follows them
  /// may be taken for a value.
  static bool is_abbreviated(std::string_view word, const CommandLineOption& option) {
    return word.substr(2, word.find('=') - 2) != option.name;
  }

  bool no_value(const CommandLineOption& option) {
    return fail(below("option requires an argument -- '" + bare(label(option)) + "'",
                      forms(option) + ": " + std::string(option.sentence)),
                true);
  }

  /// "-e" with QUAL=SET, "-eQUAL=SET" or "-ff", unless a script stands on the command line.
  bool takes_whole_word() const {
    if (static_cast<size_t>(optind) >= argv_.size() || has_script()) return false;
    const std::string_view word = argv_[static_cast<size_t>(optind)];
    return word == "-ff" || !expression_at(static_cast<size_t>(optind)).empty();
  }

  /// The QUAL=SET of the word at that place, or of it and the next; empty: it is none.
  std::string_view expression_at(size_t at) const {
    const std::string_view word = argv_[at];
    if (word.starts_with("-e") && find_qualifier(word.substr(2)) != nullptr) return word.substr(2);
    const bool has_next = word == "-e" && at + 1 < argv_.size();
    return has_next && find_qualifier(argv_[at + 1]) != nullptr ? std::string_view(argv_[at + 1]) : std::string_view();
  }

  bool whole_word() {
    const auto at = static_cast<size_t>(optind);
    const std::string_view word = argv_[at];
    optind += word == "-e" ? 2 : 1;
    typed_ = word;
    if (word == "-ff") return of_calls(option_named("output-separately"), "");
    const std::string_view expression = expression_at(at);
    const StraceQualifier& qualifier = *find_qualifier(expression);
    const std::string value(expression.substr(expression.find('=') + 1));
    typed_ = "-e " + std::string(qualifier.name);
    if (qualifier.option == nullptr)
      return fail(typed_ + "=: not there; --help=options lists what the list of calls can show", false);
    return of_calls(option_named(qualifier.option), value);
  }

  /// Whether a script, or what lists probes, was given or follows before the program and its words.
  bool has_script() const {
    if (!arguments_.programs.empty() || arguments_.mode != Mode::Trace) return true;
    for (auto at = static_cast<size_t>(optind); at < argv_.size(); at++) {
      const std::string_view word = argv_[at];
      if (word.size() < 2 || word[0] != '-' || word == "--") return false;
      if (word.starts_with("--probe") || word.starts_with("--script") || word.starts_with("--list")) return true;
      if (word == "-ff") continue;
      if (!expression_at(at).empty()) {
        at += word == "-e" ? 1 : 0;
        continue;
      }
      if (word[1] != '-' && letters_give_script(word.substr(1), at)) return true;
    }
    return false;
  }

  /// The option of a script that was named before, which the word at that place is; null: it is none.
  const ScriptOption* script_option_at(size_t at) const {
    std::string_view word = argv_[at];
    if (!word.starts_with("--") || word.size() == 2) return nullptr;
    word = word.substr(2, word.find('=') - 2);
    for (const ScriptHeader& header : headers_)
      if (const ScriptOption* option = header.find(word)) return option;
    return nullptr;
  }

  bool script_option(const ScriptOption& option) {
    const std::string_view word = argv_[static_cast<size_t>(optind++)];
    const size_t equals = word.find('=');
    std::string value;
    if (option.value.empty() && equals != word.npos)
      return fail("--" + option.name + " takes no value\n    --" + option.name + ": " + option.sentence, false);
    if (!option.value.empty()) {
      if (equals == word.npos && static_cast<size_t>(optind) >= argv_.size())
        return fail("option requires an argument -- '--" + option.name + "'\n    --" + option.name + "=" +
                        option.value + ": " + option.sentence,
                    false);
      value = equals == word.npos ? argv_[static_cast<size_t>(optind++)] : word.substr(equals + 1);
    }
    auto text = macro_value(option, value);
    if (!text) return fail(text.error().message(), false);
    arguments_.named.insert_or_assign(option.name, *text);
    return true;
  }

  /// Notes a script, its header and what its options are if nobody gives them. `by_word`: no option names it.
  bool script(const std::string& path, bool by_word) {
    auto header = read_script_header(path);
    if (!header) return fail(path + ": " + header.error().message(), false);
    for (const ScriptOption& option : header->options) {
      if (std::ranges::find(kCommandLine, option.name, &CommandLineOption::name) != kCommandLine.end())
        return fail(
            path + ": option " + option.name + ": --" + option.name + " is sonde's own\n    give it another name",
            false);
      for (const ScriptHeader& other : headers_)
        if (const ScriptOption* same = other.find(option.name); same != nullptr && *same != option)
          return fail(path + ": option " + option.name + " means something else in " + other.name, false);
      arguments_.named.try_emplace(option.name, initial_macro_value(option));
    }
    if (by_word && header->exists()) {
      tool_ = *header;
      arguments_.tool = path;
    }
    headers_.push_back(std::move(*header));
    return program(SourceText::Kind::Script, path);
  }

  /// The words of a tool have all been given.
  bool is_whole_tool() const {
    return tool_ && arguments_.words.size() == tool_->words.size() && arguments_.commands.empty() &&
           arguments_.pids.empty();
  }

  /// Notes a word behind a tool: one of its own, or the program.
  bool word_of_tool(const std::string& text) {
    if (arguments_.words.size() < tool_->words.size()) {
      arguments_.words.push_back(text);
      return true;
    }
    if (!is_whole_tool())
      return fail("extraneous argument '" + text + "'\n    it is called as: " + tool_usage(*tool_), false);
    return rest_is_program();
  }

  /// The options of that program are its own.
  bool rest_is_program() {
    arguments_.commands.emplace_back(argv_.begin() + optind - 1, argv_.end());
    is_done_ = true;
    return consistent();
  }

  /// Goes on behind the value of the last letter. A path is -P's other meaning.
  bool letters_give_script(std::string_view letters, size_t& at) const {
    for (size_t i = 0; i < letters.size(); i++) {
      const bool has_value = i + 1 < letters.size();
      const char* next = at + 1 < argv_.size() ? argv_[at + 1] : "";
      if (letters[i] == 'P' && is_path(has_value ? std::string(letters.substr(i + 1)) : next)) {
        at += has_value ? 0 : 1;
        return false;
      }
      if (std::string_view("nsPmfil").find(letters[i]) != std::string_view::npos) return true;
      const auto row = std::ranges::find(kCommandLine, letters[i], &CommandLineOption::letter);
      if (row == kCommandLine.end() || !takes_value(*row) || value_is_optional(*row)) continue;
      at += has_value ? 0 : 1;
      return false;
    }
    return false;
  }

  bool apply(const GivesText& effect, const std::string& value) {
    if (effect.kind == SourceText::Kind::Script) return script(value, false);
    if (effect.kind != SourceText::Kind::Function && option_->letter != 'i' && value.starts_with('-'))
      return no_value(*option_);  // a number may be negative, if in vain
    if (effect.kind == SourceText::Kind::Provider && typed_ == "-P" && is_path(value)) {
      typed_ = "-P " + value;
      return of_calls(option_named("trace-path"), value);
    }
    return program(effect.kind, value);
  }

  bool apply(const OfCalls&, const std::string& value) { return of_calls(*option_, value); }

  /// Notes the first one, for the message if there is a script.
  bool of_calls(const CommandLineOption& option, const std::string& value) {
    if (of_calls_.empty()) {
      const std::string name = "--" + std::string(option.name);
      const char* in_a_clause = std::get<OfCalls>(option.effect).in_a_clause;
      of_calls_ = (typed_ == name ? name + " is" : typed_ + ": " + name + " is") +
                  " for the list of calls, which a script replaces\n    in a clause: " + in_a_clause;
    }
    auto done = call_options_.set(std::get<OfCalls>(option.effect).what, value, typed_);
    return done || fail(typed_ + ": " + done.error().message(), false);
  }

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
      case Does::Attaches: return targets(value);
      case Does::NamesOutput: arguments_.output = value; return true;
      case Does::SetsOption: arguments_.settings.push_back(setting(value)); return true;
      case Does::IsVerbose: arguments_.verbose = true; return true;
      case Does::Disassembles: arguments_.disassemble = true; return true;
      case Does::Watches: arguments_.watched = value; return true;
      case Does::Sums: return summary(value);
      case Does::SortsSummary: {
        auto order = parse_summary_order(value);
        if (!order) return fail(typed_ + ": " + order.error().message(), false);
        arguments_.summary.order = *order;
        return true;
      }
      case Does::Loads: arguments_.providers.push_back(value); return true;
      case Does::SetsVariable: arguments_.settings.push_back({"setenv", value, typed_}); return letter_of_strace();
      case Does::ShowsAll: return show_all();
      case Does::SumsOffCpu: return sum_off_cpu(value);
      case Does::SetsUser: arguments_.settings.push_back({"user", value, typed_}); return letter_of_strace();
    }
    return false;
  }

  /// Other settings override it, wherever they stand.
  bool show_all() {
    const auto before = arguments_.settings.begin();
    arguments_.settings.insert(before, {{"argstrwhole", "", typed_}, {"argstrsize", "4096", typed_}});
    return true;
  }

  bool sum_off_cpu(const std::string& value) {
    if (!value.empty() && value != "folded" && value != "svg")
      return fail(typed_ + ": no format '" + value + "': folded or svg", false);
    return choose(kOffCpuTool) && set("format", value.empty() ? "folded" : value);
  }

  bool summary(const std::string& value) {
    if (!choose(kSummaryTool)) return false;
    if (value.empty()) return true;
    auto by = parse_summary_by(value);
    if (!by) return fail(typed_ + ": " + by.error().message(), false);
    arguments_.summary.by = *by;
    return true;
  }

  bool choose(const BuiltIn& tool) {
    const BuiltIn* chosen = std::exchange(arguments_.built_in, &tool);
    if (chosen == nullptr || chosen == &tool) return true;
    return fail("only one of " + chosen->typed() + " and " + tool.typed() + " may be given", true);
  }

  /// A letter that DTrace does not have: beside a script the long form says the same.
  bool letter_of_strace() {
    if (typed_.size() == 2 && letter_of_strace_.empty())
      letter_of_strace_ = typed_ + ": with a script it is --" + std::string(option_->name);
    return true;
  }

  /// "n" of "-n"; a long form stays as it is.
  static std::string bare(const std::string& form) { return form.starts_with("--") ? form : form.substr(1); }

  /// A letter is rather of the program; a long option of another tracer, or misspelt.
  bool unknown(char** argv) { return misspelt(unknown_option(argv)); }
  bool misspelt(const std::string& option) {
    const bool is_long = option.starts_with("--");
    if (tool_ && is_long) return unknown_of_tool(option);
    std::string hint(hint_on_other_word(OtherWord::Kind::Option, option.substr(0, option.find('='))));
    if (hint.empty() && is_long) hint = hint_on_long_option(option);
    const auto is_flow = [](const Arguments::Setting& one) { return one.typed == "-F"; };
    if (!is_long && std::isdigit(static_cast<unsigned char>(option[1])) != 0 &&
        std::ranges::any_of(arguments_.settings, is_flow))
      hint = "-F takes no rate: that is in the probe, as in profile-99";
    if (const std::string of_program = hint_on_program(); !of_program.empty() && (!is_long || hint.empty()))
      hint = of_program;
    return fail(below("invalid option -- '" + bare(option) + "'", hint), true);
  }

  bool unknown_of_tool(const std::string& option) {
    Suggestion suggestion(std::string_view(option).substr(2, option.find('=') - 2));
    for (const ScriptOption& row : tool_->options) suggestion.offer(row.name, "--" + row.name);
    for (const CommandLineOption& row : kCommandLine)
      if (!row.name.empty()) suggestion.offer(row.name, "--" + std::string(row.name));
    const std::string hint = suggestion.hint();
    return fail("invalid option -- '" + option + "'\n    " +
                    (hint.empty() ? "sonde " + tool_->name + " --help lists those of the tool" : hint),
                false);
  }

  /// For one that no row has, or that several begin with.
  static std::string hint_on_long_option(const std::string& typed) {
    const std::string name = typed.substr(2, typed.find('=') - 2);
    if (std::ranges::find(kCommandLine, name, &CommandLineOption::name) != kCommandLine.end())
      return "--" + name + " takes no value";
    if (std::ranges::find(kOptions, name, &OptionRow::name) != kOptions.end())
      return "an option of D: -x " + typed.substr(2);
    std::string longer;
    for (const CommandLineOption& row : kCommandLine)
      if (!name.empty() && row.name.starts_with(name))
        longer += (longer.empty() ? "--" : ", --") + std::string(row.name);
    if (!longer.empty()) return "in full: " + longer;
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
    if (const std::string hint = hint_on_function(arguments_); !hint.empty()) return hint;
    if (arguments_.programs.empty() && !arguments_.commands.empty()) return hint_on_command();
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
    const auto own = std::ranges::find(kSubcommands, text, &Subcommand::name);
    if (own != kSubcommands.end() && names_what_to_run()) return subcommand(*own);
    if (tool_) return word_of_tool(text);
    if (arguments_.named_built_in) return names_what_to_run() ? rest_is_program() : extraneous(text);
    if (const BuiltIn* own_tool = names_what_to_run() ? find_built_in(text) : nullptr) {
      note_program_of_same_name(text);
      arguments_.named_built_in = true;
      return choose(*own_tool);
    }
    if (may_be_script && is_script_file(text)) {
      is_first_script_ = true;
      return script(text, true);
    }
    if (const auto path = may_be_script ? find_tool(text) : std::nullopt) {
      note_program_of_same_name(text);
      return script(*path, true);
    }
    if (may_be_script && text.find_first_of("{:") != std::string::npos && text.find('/') != 0)
      return fail("no probes specified\n    did you mean -n '" + text + "'?", false);
    if (is_first_script_ && arguments_.words.empty() && search_path(text)) {
      arguments_.words.assign(argv_.begin() + optind - 1, argv_.end());
      is_done_ = true;
      return consistent();
    }
    if (!names_what_to_run() || (!search_path(text) && script_follows())) {
      arguments_.words.push_back(text);
      return true;
    }
    return rest_is_program();
  }

  void note_program_of_same_name(const std::string& tool) {
    if (const auto program = search_path(tool))
      arguments_.remarks.push_back(tool + " is sonde's own tool here\n    for the program " + *program + ": sonde -- " +
                                   tool);
  }

  /// The words that follow are the subcommand's.
  bool subcommand(const Subcommand& own) {
    is_done_ = true;
    for (const std::string word : argv_.subspan(static_cast<size_t>(optind))) {
      const bool takes_json = own.mode == Mode::Doctor && word == "--json";
      if (!takes_json && (own.words.empty() || !arguments_.topic.empty() || word.starts_with('-')))
        return fail(std::string(own.name) + ": no word " + word + "\n    it is called as: sonde " +
                        std::string(own.name) + (own.words.empty() ? "" : " ") + std::string(own.words),
                    false);
      if (takes_json)
        arguments_.json = true;
      else
        arguments_.topic = word;
    }
    return mode(own.mode);
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

  /// How the number behind a name, or all of them, is found.
  static std::string hint_on_name(const std::string& value) {
    const std::string name = trimmed(value);
    if (name.find_first_not_of("*?") == std::string::npos || name == "all")
      return "; to trace every process needs the kernel module, and no -p: sonde doctor says whether it is there";
    const bool plain = std::ranges::all_of(
        name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; });
    return plain ? ": pgrep " + name + " finds it" : "";
  }

  /// As strace's, -p "$(pidof PROGRAM)" names several.
  bool targets(const std::string& value) {
    const auto separates = [](char c) { return c == ',' || c == ' ' || c == '\t' || c == '\n'; };
    const bool numbers = std::ranges::all_of(
        value, [&](char c) { return separates(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; });
    if (!numbers) return target(value);
    bool some = false;
    for (auto from = value.begin(); from != value.end();) {
      from = std::find_if_not(from, value.end(), separates);
      const auto to = std::find_if(from, value.end(), separates);
      if (from != to && !target({from, to})) return false;
      some = some || from != to;
      from = to;
    }
    return some || target(value);
  }

  bool target(const std::string& value) {
    uint32_t pid = 0;
    if (!parse_pid(value, pid)) {
      const bool number = trimmed(value).find_first_not_of("0123456789") == std::string::npos;
      return fail(
          "invalid pid: " + value +
              (number ? "\n    -p takes the number of a process" : "\n    -p takes a number" + hint_on_name(value)),
          false);
    }
    if (pid == static_cast<uint32_t>(::getpid()))
      return fail("-p: " + value + " is sonde itself, which cannot trace itself", false);
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
    if ((tool_ || arguments_.named_built_in) && arguments_.mode == Mode::Help) return true;
    if (tool_ && arguments_.words.size() < tool_->words.size()) return lacks_word();
    if (arguments_.mode == Mode::CheckProvider && !arguments_.pids.empty())
      return fail("-p: --check-provider has a program of its own, which -c names", false);
    if (arguments_.mode == Mode::Why) return consistent_why();
    if (arguments_.mode == Mode::Header || arguments_.mode == Mode::Object) return consistent_build();
    const bool lists_calls = arguments_.programs.empty() && arguments_.mode == Mode::Trace;
    if (!lists_calls && !of_calls_.empty()) return fail(of_calls_, false);
    if (!arguments_.programs.empty() && !letter_of_strace_.empty()) return fail(letter_of_strace_, false);
    if (arguments_.built_in == &kOffCpuTool && !lists_calls)
      return fail("--off-cpu: it is a script of its own, beside no other", false);
    if (!arguments_.programs.empty()) return true;
    if (arguments_.mode == Mode::List) {
      arguments_.lists_words = !arguments_.words.empty();
      if (arguments_.words.empty() && arguments_.commands.size() == 1 && arguments_.commands.front().size() == 1)
        arguments_.remarks.push_back("-l lists all probes, for no description chooses among them\n    an option of " +
                                     arguments_.commands.front().front() + " belongs to its word: -c '" +
                                     arguments_.commands.front().front() + " -l'");
      for (const std::string& pattern : arguments_.words)
        if (pattern.starts_with('/') && ::access(pattern.c_str(), X_OK) == 0)
          return fail("-l: " + pattern +
                          " is no probe description\n    the functions of a program: sonde -l -n "
                          "'pid$target:a.out::entry' -c " +
                          pattern,
                      false);
      for (std::string& pattern : std::exchange(arguments_.words, {})) program(SourceText::Kind::Name, pattern);
    }
    if (arguments_.built_in == nullptr && arguments_.mode == Mode::Trace && arguments_.has_targets())
      arguments_.built_in = &kCallsTool;
    if (arguments_.without_script() && !arguments_.words.empty()) return extraneous(arguments_.words.front());
    return !arguments_.without_script() || settle_calls();
  }

  bool extraneous(const std::string& word) {
    return fail(below("extraneous argument '" + word + "'",
                      arguments_.commands.empty() ? "each process has its own -p" : hint_on_command()),
                false);
  }

  bool lacks_word() {
    const ScriptWord& next = tool_->words[arguments_.words.size()];
    return fail(tool_->name + ": " + next.name + " is missing: " + next.sentence +
                    "\n    it is called as: " + tool_usage(*tool_),
                false);
  }

  bool consistent_why() {
    if (!arguments_.commands.empty())
      return fail("--why: it looks at processes that wait already, which -p names, and starts none", false);
    if (!arguments_.programs.empty() || arguments_.built_in != nullptr || !of_calls_.empty())
      return fail("--why: it traces nothing: only -p and -o may stand beside it", false);
    const auto has_format = [](const Arguments::Setting& one) { return one.name == "format" && one.value != "text"; };
    if (std::ranges::any_of(arguments_.settings, has_format)) return fail("--why: it prints text", false);
    if (!arguments_.words.empty())
      return fail("--why: no word " + arguments_.words.front() + "\n    each process has its own -p", false);
    return !arguments_.pids.empty() || fail("--why: -p PID names the process that does not go on", false);
  }

  /// Options of a run are ignored beside -h and -G, as dtrace does: makefiles give them.
  bool consistent_build() {
    const std::string option = arguments_.mode == Mode::Header ? "-h" : "-G";
    if (arguments_.programs.empty())
      return fail(below(option + " requires one or more scripts",
                        option == "-h" ? "-h -s FILE.d writes a header; --help prints the options"
                                       : "-G -s FILE.d -o FILE.o OBJECTS"),
                  true);
    const auto is_script = [](const Arguments::Program& one) { return one.kind == SourceText::Kind::Script; };
    if (!std::ranges::all_of(arguments_.programs, is_script))
      return fail(option + ": the declarations come from a file: -s FILE.d", false);
    if (!arguments_.commands.empty() || !arguments_.pids.empty())
      return fail(option + ": it traces nothing, so -c and -p have no place", false);
    return true;
  }

  /// Letters that strace has, too, and that do nothing here.
  void note_letters_of_scripts() {
    for (const Arguments::Setting& one : arguments_.settings)
      for (const CommandLineOption& row : kCommandLine) {
        const auto* sets = std::get_if<Sets>(&row.effect);
        if (sets == nullptr || sets->in_calls == nullptr || one.typed != label(row)) continue;
        arguments_.remarks.push_back(one.typed + " is for the preprocessor of scripts, and there is none here\n    " +
                                     sets->in_calls);
      }
  }

  /// What letters of D mean where there is no script.
  bool settle_calls() {
    const auto has_z = [](const Arguments::Setting& one) { return one.name == "zdefs" && one.typed == "-Z"; };
    if (std::ranges::any_of(arguments_.settings, has_z) &&
        !call_options_.set(OfCalls::What::Failed, "", "-Z").has_value())
      return false;
    note_letters_of_scripts();
    if (arguments_.verbose && !show_all()) return false;
    if (call_options_.separate_files()) return true;
    return fail(below("--output-separately: names of files are missing", "-o FILE gives FILE.PID"), false);
  }

  bool fail(const std::string& message, bool usage) {
    bad_.message = message;
    bad_.usage = usage;
    return false;
  }

  Arguments& arguments_;
  BadArguments& bad_;
  CallOptions call_options_;
  std::span<char*> argv_;
  std::string typed_;                          ///< the option at hand, as typed
  const CommandLineOption* option_ = nullptr;  ///< its row
  std::string of_calls_;          ///< the message on the first option of the list of calls, if there is a script
  std::string letter_of_strace_;  ///< the same for -u and -E
  std::map<std::string, std::pair<std::string, std::string>> fixed_;  ///< by option of -x: its value, who gave it
  std::vector<ScriptHeader> headers_;                                 ///< of all scripts
  std::optional<ScriptHeader> tool_;                                  ///< of the script that a word names
  bool is_first_script_ = false;  ///< a word names the script: those behind a program's name are no options of ours
  bool is_done_ = false;          ///< the rest of the words is not ours
};

}  // namespace

bool parse_arguments(int argc, char** argv, Arguments& arguments, BadArguments& bad) {
  return Parser(arguments, bad).parse(argc, argv);
}

}  // namespace sonde
