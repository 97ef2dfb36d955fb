// SPDX-License-Identifier: GPL-3.0-or-later
// From lines to clauses and commands
//
//   line --> pending_ --> is_complete(): Whole --> carry_out: command or clause
//                                        Inside --> more lines
//                                        NeedsBody --> more lines; an empty line or a command ends it
//
// The run's loop also waits for the terminal, so traced output appears while a line is half typed.
// SIGINT only drops that line; SIGTERM and SIGHUP end the session.
#include "cli/prompt.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/help.h"
#include "cli/line_reader.h"
#include "cli/listing.h"
#include "cli/prompt_commands.h"
#include "cli/words.h"
#include "compiler/parse/outline.h"
#include "compiler/parse/parser.h"
#include "runtime/base/interrupt.h"
#include "runtime/syscall/structures.h"

namespace sonde {

namespace {

constexpr char kFirst[] = "sonde> ";
constexpr char kMore[] = "     | ";

/// The words that begin a declaration, besides names of types that end in _t.
constexpr std::array<std::string_view, 22> kDeclarations = {
    "char",  "const",  "double", "enum",   "extern", "float", "inline",     "int",     "long",  "provider", "self",
    "short", "signed", "static", "string", "struct", "this",  "translator", "typedef", "union", "unsigned", "void"};

/// What people type for a command of ours.
struct OtherName {
  std::string_view other, name;
};
constexpr std::array<OtherName, 3> kOtherNames = {{{"exit", "quit"}, {"quit", "quit"}, {"?", "help"}}};

class Prompt {
 public:
  Prompt(Session& session, Options& options, FileOutput& output, std::span<const CompiledText> given)
      : session_(session), options_(options), output_(output) {
    for (const CompiledText& text : given) note(text, "(command line)", {});
  }

  int run() {
    if (::isatty(STDIN_FILENO) == 1) output_.write("Sonde " SONDE_VERSION ". Type a clause, or :help.\n");
    output_.flush();
    reader_ = make_line_reader([this](const std::string& line) { take_line(line); },
                               [this](const std::string& before) {
                                 return complete(pending_.empty() ? before : pending_ + "\n" + before, completable());
                               });
    output_.set_frame([this] { reader_->hide(); }, [this] { reader_->show(); });
    session_.targets().on_end = [this](uint32_t pid, int status) {
      std::array<uint64_t, 2> how{};
      sonde_end_args(how.data(), status);
      output_.message("process " + std::to_string(pid) + " " + format_end(how[0], how[1]));
    };
    drop_line_at_sigint();
    watch();
    session_.tracing().run([this] { return over(); });
    output_.set_frame([] {}, [] {});
    reader_.reset();
    session_.tracing().finish();
    return session_.tracing().exit_status();
  }

 private:
  struct Entry {
    std::string text;
    std::vector<uint32_t> enablings;
    uint32_t matched = 0;
    bool enabled = true;
  };

  /// What Tab asks of this run.
  Completable completable() {
    return {[this](const std::string& description, size_t field) { return probes(description, field); },
            [this] {
              std::vector<std::string> names;
              for (const AggregationDesc& one : session_.program().aggregations) names.push_back(one.name);
              return names;
            },
            [this] {
              std::vector<Candidate> all;
              for (size_t i = 0; i < entries_.size(); i++) all.push_back({std::to_string(i + 1), entries_[i].text});
              return all;
            }};
  }

  std::vector<Candidate> probes(const std::string& text, size_t field) {
    const auto description = read_description(with_target(text));
    std::vector<Candidate> all;
    if (!description) return all;
    std::map<std::string, size_t> counts;
    for (ProbeId id : session_.framework().match(*description)) {
      const ProbeInfo& probe = session_.framework().info(id);
      counts[(std::array{&probe.provider, &probe.module, &probe.function, &probe.name}[field])->c_str()]++;
    }
    for (const auto& [name, count] : counts)
      if (!name.empty()) all.push_back({name, std::to_string(count) + (count == 1 ? " probe" : " probes")});
    return all;
  }

  /// With the number of the first target in the place of $target, if there is one.
  std::string with_target(std::string text) const {
    constexpr std::string_view kMacro = "$target";
    const size_t macro = text.find(kMacro);
    const std::vector<uint32_t>& targets = session_.targets().live();
    if (macro != text.npos && !targets.empty()) text.replace(macro, kMacro.size(), std::to_string(targets.front()));
    return text;
  }

  void watch() {
    EventLoop& loop = session_.tracing().loop();
    loop.watch(interrupt_fd, POLLIN, [this] {
      if (take_asked(Asked::DropLine)) drop_line();
    });
    loop.watch([this] { return reader_->ended() ? -1 : STDIN_FILENO; }, POLLIN,
               [this] {
                 reader_->read();
                 if (reader_->ended() && !pending_.empty() && !done_) carry_out_pending();
               });
  }

  bool over() const {
    return done_ || (reader_->ended() && (reader_->interactive() || session_.targets().live().empty()));
  }

  void drop_line() {
    pending_.clear();
    reader_->set_prompt(kFirst);
    reader_->discard();
  }

  void take_line(const std::string& line) {
    if (done_) return;
    const bool blank = line.find_first_not_of(" \t") == std::string::npos;
    // The pending text is a description without a body, and this line does not begin a body.
    if (!pending_.empty() && (blank || line[0] == ':') && is_complete(pending_) == Completeness::NeedsBody)
      carry_out_pending();
    if (pending_.empty() && (blank || line.starts_with("#!") || line.starts_with("# "))) return;
    pending_ += (pending_.empty() ? "" : "\n") + line;
    if (pending_[0] != ':' && !is_command_without_colon(pending_) && waits_for_more(pending_))
      return reader_->set_prompt(kMore);
    carry_out_pending();
  }

  /// Whether a further line can complete the text: an open bracket, a declaration, or the description of a probe that
  /// exists or may come. Any other word is answered at once.
  bool waits_for_more(const std::string& text) {
    switch (is_complete(text)) {
      case Completeness::Whole: return false;
      case Completeness::Inside: return true;
      case Completeness::NeedsBody: return begins_declaration(text) || describes_probes(text);
    }
    return false;
  }

  static bool begins_declaration(const std::string& text) {
    const std::string word = text.substr(0, text.find_first_of(" \t\n*"));
    return word.ends_with("_t") || std::ranges::find(kDeclarations, word) != kDeclarations.end();
  }

  /// Whether one of the descriptions in front of a predicate is of a probe, or of a process ($target may come later).
  bool describes_probes(const std::string& text) {
    if (names_process(text) || text.find('$') != text.npos) return true;
    std::istringstream all{std::string(specifier_of(text))};
    for (std::string one; std::getline(all, one, ',');) {
      const size_t begin = one.find_first_not_of(" \t\n");
      if (begin == one.npos) continue;
      one = one.substr(begin, one.find_last_not_of(" \t\n") - begin + 1);
      const auto description = read_description(one);
      if (description && !session_.framework().match(*description).empty()) return true;
    }
    return false;
  }

  void carry_out_pending() {
    const std::string text = std::exchange(pending_, "");
    reader_->set_prompt(kFirst);
    reader_->remember(text);
    if (text[0] == ':') {
      command(text);
    } else if (const std::string meant = with_colon(text); !meant.empty()) {
      command(meant);
    } else {
      clause(text);
    }
    output_.flush();
  }

  /// A command typed without its colon, as in gdb: its first word is the whole name of one, or another name for one.
  static bool is_command_without_colon(const std::string& text) { return !with_colon(text).empty(); }

  /// The same with its colon; empty: it is none.
  static std::string with_colon(const std::string& text) {
    if (text.find_first_of("{\n/") != text.npos && !text.starts_with("target ")) return {};
    const size_t end = std::min(text.find_first_of(" \t("), text.size());
    const std::string word = text.substr(0, end), rest = text.substr(end);
    for (const auto& [other, name] : kOtherNames)
      if (word == other && (rest.empty() || rest == "()" || rest == "(0)")) return ":" + std::string(name);
    const PromptCommandRow* row = find_prompt_command(word);
    if (row == nullptr || row->name != word) return {};
    if (!rest.empty() && rest[0] == '(') return {};  // an action of D
    return ":" + text;
  }

  void clause(const std::string& text) {
    SourceText source{SourceText::Kind::Name, text, text};
    auto compiled = session_.compile({&source, 1}, {});
    if (!compiled) {
      complain(compiled.error());
      if (text.find_first_of(":{;") == text.npos) output_.message("no command has that name either; :help lists them");
      return;
    }
    const CompiledText& result = compiled->front();
    for (uint32_t i = result.first; i < result.first + result.count; i++) {
      if (session_.program().clauses[i].destructive && !options_.flag("destructive"))
        return output_.message("destructive actions are not allowed: start sonde with -w");
    }
    auto enablings = session_.enable(result);
    if (!enablings) return complain(enablings.error());
    note(result, text, *enablings);
    output_.message("clause " + std::to_string(entries_.size()) + " matched " + std::to_string(result.matched) +
                    (result.matched == 1 ? " probe" : " probes"));
  }

  void note(const CompiledText& compiled, const std::string& text, std::vector<uint32_t> enablings) {
    entries_.push_back({text, std::move(enablings), compiled.matched, true});
  }

  void complain(const Error& error) {
    std::string text = error.message();
    while (text.ends_with('\n')) text.pop_back();
    output_.message(text);
  }

  void command(const std::string& text) {
    const size_t blank = text.find_first_of(" \t"), second = text.find_first_not_of(" \t", blank);
    const std::string name = text.substr(1, blank == text.npos ? blank : blank - 1);
    const std::string rest = second == text.npos ? "" : text.substr(second, text.find_last_not_of(" \t") + 1 - second);
    if (const PromptCommandRow* row = find_prompt_command(name)) return carry_out(row->command, rest);
    output_.message("unknown command :" + name + "; :help lists them");
  }

  void carry_out(PromptCommand command, const std::string& rest) {
    switch (command) {
      case PromptCommand::Target: return target(rest);
      case PromptCommand::Clauses: return clauses();
      case PromptCommand::Disable: return disable(rest);
      case PromptCommand::Print: return print(rest);
      case PromptCommand::List: return list(rest);
      case PromptCommand::Stop: return stop();
      case PromptCommand::Help: return show_help(rest);
      case PromptCommand::Quit: return quit();
    }
  }

  void show_help(const std::string& rest) {
    const HelpTopic* topic = find_topic(rest.empty() ? "prompt" : rest);
    if (topic == nullptr) return output_.message(no_topic(rest));
    output_.write(topic->text());
  }

  void list(const std::string& rest) {
    std::vector<ProbeDescription> descriptions;
    if (!rest.empty()) {
      const auto description = read_description(with_target(rest));
      if (!description) return output_.message("no description of probes: " + rest + "; it has four fields at most");
      descriptions.push_back(*description);
    }
    std::vector<std::string> missing;
    std::string text = list_probes(session_.framework(), descriptions, {.words_anywhere = true}, missing);
    if (missing.empty()) output_.write(text);
    for (const std::string& line : missing) output_.message(line);
  }

  void clauses() {
    if (entries_.empty()) output_.write("no clauses yet\n");
    for (size_t i = 0; i < entries_.size(); i++) {
      const Entry& entry = entries_[i];
      output_.write(std::to_string(i + 1) + (entry.enabled ? "  " : "  (disabled) ") + entry.text + "\n");
    }
  }

  void disable(const std::string& rest) {
    size_t number = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || number == 0 || number > entries_.size())
      return output_.message("disable which clause? :clauses numbers them");
    Entry& entry = entries_[number - 1];
    for (uint32_t enabling : entry.enablings)
      if (auto done = session_.framework().disable(enabling); !done) return complain(done.error());
    entry.enablings.clear();
    entry.enabled = false;
    output_.message("clause " + std::to_string(number) + " is disabled");
  }

  void print(const std::string& rest) {
    std::string name = rest.starts_with('@') ? rest.substr(1) : rest;
    if (session_.program().aggregations.empty()) return output_.message("no aggregation yet: @NAME = count() and others");
    session_.tracing().consumer().drain();
    if (auto done = session_.tracing().consumer().print_aggregation(name); !done) complain(done.error());
  }

  void target(const std::string& rest) {
    if (rest.empty()) {
      if (session_.targets().live().empty())
        output_.write("no target: :target COMMAND starts one, :target PID attaches\n");
      for (uint32_t pid : session_.targets().live()) output_.write("pid " + std::to_string(pid) + "\n");
      return;
    }
    uint32_t pid = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), pid);
    if (error == std::errc() && end == rest.data() + rest.size()) {
      const auto process = session_.tracing().attach_target(pid);
      if (!process) return complain(process.error());
      return output_.message("attached to pid " + std::to_string(*process));
    }
    auto words = split_words(rest);
    if (!words) return complain(words.error());
    auto started = session_.tracing().start_target(*words);
    if (!started) return complain(started.error());
    output_.message("started " + (*words)[0] + ", pid " + std::to_string(*started));
  }

  void stop() {
    session_.targets().release();
    output_.message("targets let go");
  }

  void quit() {
    done_ = true;
    reader_->close();
  }

  Session& session_;
  Options& options_;
  FileOutput& output_;
  std::unique_ptr<LineReader> reader_;
  std::vector<Entry> entries_;
  std::string pending_;
  bool done_ = false;
};

}  // namespace

int run_prompt(Session& session, Options& options, FileOutput& output, std::span<const CompiledText> given) {
  return Prompt(session, options, output, given).run();
}

}  // namespace sonde
