// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>

#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/listing.h"
#include "cli/words.h"

namespace sonde {

namespace {

std::atomic<bool> g_line_interrupted{false};

constexpr char kFirst[] = "sonde> ";
constexpr char kMore[] = "     | ";

constexpr char kHelpText[] =
    "  probe /predicate/ { actions }   compiles and enables a clause; it may go over several lines\n"
    "  :target COMMAND | PID           starts a program, or attaches to one\n"
    "  :clauses                        what is enabled\n"
    "  :disable N                      takes clause N out\n"
    "  :print [@NAME]                  prints an aggregation, or all\n"
    "  :list [DESCRIPTION]             probes, as in :list syscall::open*:entry\n"
    "  :stop                           lets the targets go; they run on untraced\n"
    "  :quit                           ends; targets run on\n";

/// Does D text want another line? Open brackets, quotes or comments, a predicate without its end, a trailing comma.
bool wants_more(std::string_view text) {
  int depth = 0;
  bool body = false;
  char last = 0;
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    if (c == '"' || c == '\'') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size()) return true;
      i = end;
    } else if (text.substr(i, 2) == "/*") {
      size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) return true;
      i = end + 1;
      continue;
    } else if (c == '{' || c == '(' || c == '[') {
      depth++;
      body |= c == '{';
    } else if (c == '}' || c == ')' || c == ']') {
      depth--;
    }
    if (!std::isspace(static_cast<unsigned char>(c))) last = c;
  }
  if (depth > 0 || last == ',') return true;
  return !body && std::ranges::count(text, '/') == 1;
}

class Prompt {
 public:
  Prompt(Session& session, Options& options, FileOutput& output, std::span<const CompiledText> given)
      : session_(session), options_(options), output_(output) {
    for (const CompiledText& text : given) note(text, "(command line)", {});
  }

  int run() {
    if (::isatty(STDIN_FILENO) == 1) output_.write("Sonde " SONDE_VERSION ". Type a clause, or :help.\n");
    output_.flush();
    reader_ = make_line_reader([this](const std::string& line) { take_line(line); });
    output_.set_frame([this] { reader_->hide(); }, [this] { reader_->show(); });
    catch_line_interrupts();
    while (!done_) turn();
    output_.set_frame([] {}, [] {});
    reader_.reset();
    session_.finish();
    return session_.consumer().exit_status();
  }

 private:
  struct Entry {
    std::string text;
    std::vector<uint32_t> enablings;
    uint32_t matched = 0;
    bool enabled = true;
  };

  static void catch_line_interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) { g_line_interrupted = true; };
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
  }

  void turn() {
    EventSource* source = session_.source();
    pollfd fds[4] = {{reader_->ended() ? -1 : STDIN_FILENO, POLLIN, 0},
                     {source != nullptr ? source->event_fd() : -1, POLLIN, 0},
                     {interrupt_fd(), POLLIN, 0},
                     {output_.watched_fd(), 0, 0}};
    int timeout = static_cast<int>(std::clamp<uint64_t>(options_.number("switchrate") / 1'000'000, 1, 1000));
    if (session_.has_put_off()) timeout = 0;
    ::poll(fds, 4, timeout);
    if ((fds[3].revents & POLLERR) != 0) output_.note_reader_gone();
    if (g_line_interrupted.exchange(false)) {
      pending_.clear();
      reader_->set_prompt(kFirst);
      reader_->discard();
    }
    if ((fds[0].revents & (POLLIN | POLLHUP)) != 0) reader_->read();
    poll_session();
    bool input_over = reader_->ended() && (reader_->interactive() || session_.targets().empty());
    if (input_over || interrupted() || output_.failed() || session_.consumer().exiting()) done_ = true;
  }

  void poll_session() {
    size_t before = session_.targets().size();
    if (auto done = session_.poll_source(); !done) {
      output_.message(done.error().message());
      done_ = true;
    }
    session_.consumer().report_drops();
    output_.flush();
    if (session_.targets().size() < before) output_.message("a target has ended");
  }

  void take_line(const std::string& line) {
    if (done_) return;
    std::string text = pending_.empty() ? line : pending_ + "\n" + line;
    bool blank = text.find_first_not_of(" \t\n") == std::string::npos;
    if (!blank && text[0] != ':' && wants_more(text)) {
      pending_ = text;
      reader_->set_prompt(kMore);
      return;
    }
    pending_.clear();
    reader_->set_prompt(kFirst);
    if (blank) return;
    reader_->remember(text);
    if (text[0] == ':') {
      command(text);
    } else {
      clause(text);
    }
    output_.flush();
  }

  void clause(const std::string& text) {
    SourceText source{SourceText::Kind::Name, text, text};
    auto compiled = session_.compile({&source, 1}, {});
    if (!compiled) return complain(compiled.error());
    const CompiledText& result = compiled->front();
    for (uint32_t i = result.first; i < result.first + result.count; i++) {
      if (session_.program().clauses[i].destructive && !options_.flag("destructive")) {
        return output_.message("destructive actions are not allowed: start sonde with -w");
      }
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
    size_t blank = text.find_first_of(" \t");
    std::string name = text.substr(1, blank == std::string::npos ? blank : blank - 1);
    std::string rest = blank == std::string::npos
                           ? ""
                           : text.substr(text.find_first_not_of(" \t", blank) == std::string::npos
                                             ? text.size()
                                             : text.find_first_not_of(" \t", blank));
    struct Command {
      const char* name;
      void (Prompt::*run)(const std::string&);
    };
    static constexpr Command kCommands[] = {
        {"help", &Prompt::show_help},  {"list", &Prompt::list},   {"clauses", &Prompt::clauses},
        {"disable", &Prompt::disable}, {"print", &Prompt::print}, {"target", &Prompt::target},
        {"stop", &Prompt::stop},       {"quit", &Prompt::quit},
    };
    for (const Command& known : kCommands) {
      if (name == known.name || (!name.empty() && std::string_view(known.name).starts_with(name)))
        return (this->*known.run)(rest);
    }
    output_.message("unknown command :" + name + "; :help lists them");
  }

  void show_help(const std::string&) { output_.write(kHelpText); }

  void list(const std::string& rest) {
    std::vector<ProbeDescription> descriptions;
    std::string wanted = rest;
    const size_t macro = wanted.find("$target");
    if (macro != std::string::npos && !session_.targets().empty())
      wanted.replace(macro, std::string_view("$target").size(), std::to_string(session_.targets().front()));
    if (!rest.empty()) descriptions.push_back(parse_description(wanted));
    std::vector<std::string> missing;
    std::string text = list_probes(session_.framework(), descriptions, false, missing);
    if (missing.empty()) output_.write(text);
    for (const std::string& line : missing) output_.message(line);
  }

  static ProbeDescription parse_description(const std::string& text) {
    std::vector<std::string> fields;
    for (size_t begin = 0;;) {
      size_t end = text.find(':', begin);
      fields.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
      if (end == std::string::npos) break;
      begin = end + 1;
    }
    while (fields.size() < 4) fields.insert(fields.begin(), "");
    return {fields[0], fields[1], fields[2], fields[3], {}};
  }

  void clauses(const std::string&) {
    if (entries_.empty()) output_.write("no clauses yet\n");
    for (size_t i = 0; i < entries_.size(); i++) {
      const Entry& entry = entries_[i];
      output_.write(std::to_string(i + 1) + (entry.enabled ? "  " : "  (disabled) ") + entry.text + "\n");
    }
  }

  void disable(const std::string& rest) {
    size_t number = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || number == 0 || number > entries_.size()) {
      return output_.message("disable which clause? :clauses numbers them");
    }
    Entry& entry = entries_[number - 1];
    for (uint32_t enabling : entry.enablings) {
      if (auto done = session_.disable(enabling); !done) return complain(done.error());
    }
    entry.enablings.clear();
    entry.enabled = false;
  }

  void print(const std::string& rest) {
    std::string name = rest.starts_with('@') ? rest.substr(1) : rest;
    session_.consumer().drain();
    if (auto done = session_.consumer().print_aggregation(name); !done) complain(done.error());
  }

  void target(const std::string& rest) {
    if (rest.empty()) {
      if (session_.targets().empty()) output_.write("no target: :target COMMAND starts one, :target PID attaches\n");
      for (uint32_t pid : session_.targets()) output_.write("pid " + std::to_string(pid) + "\n");
      return;
    }
    uint32_t pid = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), pid);
    if (error == std::errc() && end == rest.data() + rest.size()) {
      if (auto done = session_.attach_target(pid); !done) return complain(done.error());
      return output_.message("attached to pid " + std::to_string(pid));
    }
    auto words = split_words(rest);
    if (!words) return complain(words.error());
    auto started = session_.start_target(*words);
    if (!started) return complain(started.error());
    output_.message("started " + (*words)[0] + ", pid " + std::to_string(*started));
  }

  void stop(const std::string&) {
    session_.release_targets();
    output_.message("targets let go");
  }

  void quit(const std::string&) {
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
