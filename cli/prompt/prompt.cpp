// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/prompt.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/prompt/commands.h"
#include "cli/prompt/typed.h"
#include "cli/trimmed.h"
#include "compiler/library/library.h"
#include "compiler/parse/outline.h"
#include "compiler/parse/parser.h"
#include "runtime/base/clock.h"
#include "runtime/base/interrupt.h"
#include "runtime/lang/option_hint.h"
#include "runtime/syscall/structures.h"

namespace sonde {

namespace {

constexpr char kMore[] = "     | ";
constexpr std::string_view kPragma = "#pragma D option ";

}  // namespace

Prompt::Prompt(Session& session, Options& options, FileOutput& output, std::span<const SourceText> texts,
               std::span<const CompiledText> given)
    : session_(session), options_(options), output_(output), entries_(session), targets_(session) {
  entries_.note_given(texts, given);
}

int Prompt::run() {
  if (::isatty(STDIN_FILENO) == 1 && !handed_) output_.write("Sonde " SONDE_VERSION ". Type a clause, or :help.\n");
  output_.flush();
  reader_ = make_line_reader([this](const std::string& line) { take_line(line); },
                             [this](const std::string& before) {
                               return complete(pending_.empty() ? before : pending_ + "\n" + before, completable());
                             },
                             [this] { return take_end_of_input(); }, handed_ ? handed_->input : "");
  screen_ = std::make_unique<Screen>(output_, session_.tracing().loop(), *reader_);
  watch_ = std::make_unique<Watch>(session_, output_, *screen_);
  watch();  // a stop of this process is noticed before anything is shown
  target_output_ =
      std::make_unique<TargetOutput>(session_.relay(), output_, *screen_, *reader_, session_.tracing().loop());
  session_.targets().on_end = [this](uint32_t pid, int status) {
    std::array<uint64_t, 2> how{};
    sonde_end_args(how.data(), status);
    one_has_ended_ = true;
    target_output_->settle();
    say(targets_.describe(pid) + " " + format_end(how[0], how[1]));
  };
  if (reader_->interactive()) session_.framework().provide();  // while the user reads, not at the first Tab
  if (handed_) take_handed();
  session_.tracing().run([this] { return over(); });
  watch_->end();
  if (hands_over_) {
    hands_over_->input = reader_->unread();
    hands_over_->terminals = session_.relay().hand_over();
  }
  target_output_.reset();
  screen_.reset();
  reader_.reset();
  session_.tracing().finish();
  const int status = session_.tracing().exit_status();
  return status == 0 && failed_ ? 1 : status;
}

// ---- the loop --------------------------------------------------------------------------------------------------

void Prompt::watch() {
  EventLoop& loop = session_.tracing().loop();
  if (reader_->interactive()) {
    drop_line_at_sigint();
    redraw_at_sigcont();
    resize_at_sigwinch();
  }
  loop.watch(interrupt_fd, POLLIN, [this] {
    if (take_asked(Asked::DropLine)) interrupt();
    if (take_asked(Asked::Redraw)) target_output_->has_front() ? target_output_->take_keyboard() : reader_->redraw();
    if (take_asked(Asked::Resize)) session_.relay().copy_sizes();
  });
  loop.watch([this] { return reader_ == nullptr || reader_->ended() ? -1 : STDIN_FILENO; }, POLLIN,
             [this] {
               if (target_output_->has_front()) return target_output_->read_keyboard();
               reader_->read();
               if (reader_->ended() && !pending_.empty() && !done_) carry_out_pending();
             });
}

bool Prompt::over() const {
  if (done_ || !reader_->ended()) return done_;
  return reader_->interactive() || (session_.targets().live().empty() && !waits_for_clauses());
}

/// Without targets a script runs until exit() or a signal; with some, until they have ended.
bool Prompt::waits_for_clauses() const {
  return runs_on_ && !one_has_ended_ &&
         std::ranges::any_of(entries_.all(), [](const Entries::Entry& entry) { return !entry.enablings.empty(); });
}

/// Ctrl-D inside of a clause drops only that.
bool Prompt::take_end_of_input() {
  if (pending_.empty() && edited_ == nullptr) return true;
  pending_.clear();
  edited_ = nullptr;
  reader_->set_prompt(first_prompt());
  return false;
}

/// Ctrl-C stops what runs over the screen; otherwise it drops the line.
void Prompt::interrupt() {
  if (screen_->flood().gate() != Flood::Gate::Open || !screen_->flood().is_flood(monotonic_now())) return drop_line();
  set_gate(Flood::Gate::Paused);
  say("output is held back; :resume lets it go on, :clauses and :disable N take a clause out");
}

void Prompt::drop_line() {
  pending_.clear();
  edited_ = nullptr;
  reader_->set_prompt(first_prompt());
  reader_->discard();
}

const char* Prompt::first_prompt() const {
  switch (screen_->flood().gate()) {
    case Flood::Gate::Open:
    case Flood::Gate::Reading: return "sonde> ";
    case Flood::Gate::Paused: return "sonde (paused)> ";
    case Flood::Gate::Quiet: return "sonde (quiet)> ";
  }
  return "";
}

void Prompt::set_gate(Flood::Gate gate) {
  screen_->set_gate(gate);
  if (pending_.empty()) reader_->set_prompt(first_prompt());
}

void Prompt::end() {
  done_ = true;
  reader_->close();
}

// ---- lines -----------------------------------------------------------------------------------------------------

void Prompt::take_line(const std::string& line) {
  if (done_) return;
  screen_->note_line();
  // The pending text is a description without a body, and this line does not begin a body.
  const bool no_body = is_blank(line) || is_command(line);
  if (!pending_.empty() && no_body && needs_body(pending_)) carry_out_pending();
  if (done_ || (pending_.empty() && is_blank(line))) return;
  pending_ += (pending_.empty() ? "" : "\n") + line;
  const bool is_clause = !is_command(pending_) && with_colon(pending_).empty();
  if (is_clause && waits_for_more(pending_, session_.framework())) return reader_->set_prompt(kMore);
  carry_out_pending();
}

void Prompt::carry_out_pending() {
  const std::string text = std::exchange(pending_, "");
  reader_->set_prompt(first_prompt());
  reader_->remember(text);
  const std::string command = is_command(text) ? text : with_colon(text);
  if (command.empty())
    take_clause(text);
  else
    take_command(command);
  output_.flush();
}

void Prompt::take_clause(const std::string& text) {
  Entries::Entry* edited = std::exchange(edited_, nullptr);
  const size_t before = edited != nullptr ? static_cast<size_t>(edited - entries_.all().data()) : entries_.all().size();
  const bool destructive = options_.flag("destructive");
  const auto entry = edited != nullptr ? entries_.replace(*edited, text, destructive) : entries_.add(text, destructive);
  const Look look = reader_->interactive() ? Look::of(STDERR_FILENO) : Look::plain();
  const DiagnosticForm form = diagnostic_form(options_, look);
  show_warnings(output_, session_.compiler().warnings(), {}, before, form, look);
  if (entry) return say_taken(**entry);
  std::string hint = hint_on_word(text);
  if (hint.empty() && text.find_first_of(":{;") == text.npos)
    hint = "no command has that name either; :help lists them";
  if (form == DiagnosticForm::DTrace || !hint.empty() || session_.reported().empty())
    return complain(trimmed(entry.error().message()) + (hint.empty() ? "" : "\n" + hint));
  note_failure();
  output_.report(show_diagnostics(session_.reported(), {}, before, form, look));
}

/// A script is silent about this with -q, too.
void Prompt::say_taken(const Entries::Entry& entry) {
  if (runs_on_ && options_.flag("quiet")) return;
  const std::string name = "clause " + std::to_string(&entry - entries_.all().data() + 1);
  const bool declares = entry.compiled.count == 0;
  say(name + (declares ? " declares names" : " matched " + probes_text(entry.compiled.matched)));
}

/// From a pipe an error decides the exit status.
void Prompt::note_failure() { failed_ = failed_ || !reader_->interactive(); }

void Prompt::complain(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  note_failure();
  output_.message(text);
}

void Prompt::take_command(const std::string& text) {
  const size_t blank = std::min(text.find_first_of(" \t"), text.size());
  const std::string name = text.substr(1, blank - 1);
  const std::vector<const PromptCommandRow*> rows = find_prompt_commands(name);
  edited_ = nullptr;
  if (rows.size() == 1) return rows.front()->run(*this, trimmed(text.substr(blank)));
  if (const std::string hint = hint_on_word(name); rows.empty())
    return complain("unknown command :" + name + "; " + (hint.empty() ? ":help lists them" : hint));
  std::string names;
  for (const PromptCommandRow* row : rows) names += (names.empty() ? ":" : ", :") + std::string(row->name);
  complain(text + " may be " + names);
}

// ---- what commands do ------------------------------------------------------------------------------------------

void Prompt::edit(Entries::Entry& entry) {
  edited_ = &entry;
  std::string line = entry.text;
  std::ranges::replace(line, '\n', ' ');
  reader_->put(line);
}

Result<void> Prompt::load(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error::from_errno("failed to read " + path);
  std::string text;
  const auto take = [this, &text] {
    if (!trimmed(text).empty()) take_clause(trimmed(text));
    text.clear();
  };
  for (std::string line; std::getline(file, line);) {
    if (text.empty() && line.starts_with(kPragma)) {
      if (auto done = set(line.substr(kPragma.size())); !done) complain(done.error());
      continue;
    }
    if (text.empty() && is_blank(line)) continue;
    text += line + "\n";
    if (is_complete(text) == Completeness::Whole) take();
  }
  take();
  if (file.bad()) return Error::from_errno("failed to read " + path);
  return {};
}

std::string Prompt::script(size_t& left_out) const {
  std::string text = "#!/usr/bin/env -S sonde -s\n";
  for (const auto& [name, value] : settings_)
    text += std::string(kPragma) + name + (value.empty() ? "" : "=" + value) + "\n";
  return text + entries_.text(left_out);
}

Result<void> Prompt::set(const std::string& setting) {
  const size_t equals = std::min(setting.find('='), setting.size());
  const std::string name = trimmed(setting.substr(0, equals));
  const std::string value = equals == setting.size() ? "" : trimmed(setting.substr(equals + 1));
  const auto row = std::ranges::find(kOptions, name, &OptionRow::name);
  const bool at_start =
      row != kOptions.end() && (row->phase == OptionPhase::CommandLine || row->phase == OptionPhase::Start);
  if (at_start)
    return Error(
        name + " is settled when sonde starts: sonde -x " + name + (value.empty() ? "" : "=" + value) + " --repl",
        EBUSY);
  if (auto done = options_.set(name, value, false, false); !done) {
    const std::string hint = hint_on_option(name, value);
    return Error(done.error().message() + ": " + name + (hint.empty() ? "" : "\n    " + hint), EINVAL);
  }
  std::erase_if(settings_, [&name](const auto& one) { return one.first == name; });
  settings_.emplace_back(name, value);
  return {};
}

Result<void> Prompt::add_provider(const std::string& path) {
  auto plugins = std::make_unique<Plugins>(FoundPlugins{{path}, {}, {}});
  plugins->start(session_.framework());
  if (!plugins->left_out().empty()) return Error(plugins->left_out().front(), EINVAL);
  for (const auto& [file, text] : plugins->texts()) add_library_part(file, text);
  plugins_.push_back(std::move(plugins));
  loaded_.push_back(path);
  return {};
}

Result<void> Prompt::change_source(const std::string& name) {
  if (auto done = try_source(name); !done) return done;
  hands_over_ = HandedOver{name, screen_->log_path(), {}, failed_ ? "failed" : "", loaded_, settings_, {}, {}};
  for (const Entries::Entry& entry : entries_.all()) hands_over_->clauses.push_back({entry.text, entry.enabled});
  for (const uint32_t pid : session_.targets().live())
    say(targets_.describe(pid) + " runs on untraced; :target " + std::to_string(pid) + " attaches to it again");
  say("the clauses and settings stay; aggregations and variables end here");
  end();
  return {};
}

/// A clause that cannot be enabled says why, and is left out.
void Prompt::take_handed() {
  const HandedOver what = *std::exchange(handed_, std::nullopt);
  failed_ = !what.failed.empty();
  say("the event source is " + std::string(session_.source_name().empty() ? what.source : session_.source_name()));
  for (const std::string& path : what.providers)
    if (auto done = add_provider(path); !done) complain(done.error());
  for (const auto& [name, value] : what.settings)
    if (auto done = set(value.empty() ? name : name + "=" + value); !done) complain(done.error());
  for (const auto& [text, enabled] : what.clauses) {
    if (enabled)
      take_clause(text);
    else if (auto done = entries_.add_disabled(text); !done)
      complain(trimmed(done.error().message()));
  }
  if (!what.log.empty())
    if (auto done = screen_->log_to(what.log); !done) complain(done.error());
  output_.flush();
  reader_->pass_lines();
}

// ---- Tab -------------------------------------------------------------------------------------------------------

/// 42 of "pid42"; 0: there is none
static uint32_t pid_of(const std::string& provider) {
  uint32_t pid = 0;
  std::from_chars(provider.data() + std::min<size_t>(3, provider.size()), provider.data() + provider.size(), pid);
  return pid;
}

static std::vector<Candidate> with_types(const std::vector<NamedType>& names) {
  std::vector<Candidate> all;
  for (const NamedType& one : names) all.push_back({one.name, one.type});
  return all;
}

/// What Tab asks of this run.
Completable Prompt::completable() {
  return {[this](const std::string& description, ProbeIndex::Field field) { return probes(description, field); },
          [this](const std::string& provider) { return modules_of(pid_of(with_target(provider))); },
          [this](const std::string& text) { return with_types(session_.members(text)); },
          [this] { return with_types(session_.compiler().globals()); },
          [this] {
            std::vector<std::string> names;
            for (const AggregationDesc& one : session_.program().aggregations) names.push_back(one.name);
            return names;
          },
          [this] {
            std::vector<Candidate> all;
            for (const Entries::Entry& entry : entries_.all())
              all.push_back({std::to_string(all.size() + 1), entry.text});
            return all;
          },
          [this] {
            std::vector<Candidate> all;
            for (const NamedTargets::Target& one : targets_.all())
              if (!one.words.empty()) all.push_back({one.name, one.words.front()});
            return all;
          }};
}

std::vector<NameCount> Prompt::probes(const std::string& text, ProbeIndex::Field field) {
  const auto description = read_description(with_target(text));
  return description ? session_.framework().match_names(*description, field) : std::vector<NameCount>();
}

std::string Prompt::with_target(std::string text) const {
  constexpr std::string_view kMacro = "$target";
  const size_t macro = text.find(kMacro);
  const std::vector<uint32_t>& targets = session_.targets().live();
  if (macro != text.npos && !targets.empty()) text.replace(macro, kMacro.size(), std::to_string(targets.front()));
  return text;
}

}  // namespace sonde
