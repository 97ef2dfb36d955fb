// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/session/tracing.h"

#include <limits.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/progress.h"
#include "runtime/session/cost.h"
#include "runtime/session/labels.h"
#include "runtime/session/limits.h"

namespace sonde {
namespace {

constexpr ProbeId kBegin{1};
constexpr ProbeId kEnd{2};
constexpr Nanoseconds kLongestWait =
    1'000'000'000;                    ///< keeps exit() and the end of a target from waiting for a very long switchrate
constexpr size_t kMappedAtOnce = 64;  ///< events; few, because the thread that mapped the first of them may wait

/// The next time (CLOCK_MONOTONIC) at which the time of day is a multiple of `period`: the same moment on all machines.
Nanoseconds next_multiple(Nanoseconds period) { return monotonic_now() + period - now_of(CLOCK_REALTIME) % period; }

MapEntry entry_of(const FileMapping& mapping) {
  return {.start = mapping.address,
          .end = mapping.address + mapping.bytes,
          .offset = mapping.offset,
          .executable = true,
          .path = mapping.path,
          .file = {mapping.major, mapping.minor, mapping.inode}};
}

}  // namespace

Tracing::Tracing(const OpenedSource& opened, Framework& framework, const BodyProgram& program, Targets& targets,
                 Options& options, Output& output)
    : opened_(opened),
      source_(opened.source.get()),
      threads_(source_ != nullptr ? source_->threads() : nullptr),
      framework_(framework),
      program_(program),
      targets_(targets),
      options_(options),
      output_(output) {}

Tracing::~Tracing() = default;

// ---- start -----------------------------------------------------------------------------------------------------

Result<void> Tracing::start(std::span<const Enabling> enablings, std::string script) {
  framework_.set_ring_bytes(options_.number("bufsize"));
  framework_.set_follow_forks(options_.flag("followforks"));
  if (source_ != nullptr) {
    if (auto done = create_buffers(*source_, options_, output_); !done) return done;
    if (auto done = targets_.attach_noted(); !done) return done;
  }
  if (auto done = keep_to_cpu(options_); !done) return done;
  if (auto done = settle_aggregation_size(options_, output_); !done) return done;
  if (auto done = check_clauses(program_, options_); !done) return done;
  if (auto done = check_ends(options_); !done) return done;
  consumer_ = std::make_unique<Consumer>(program_, framework_, source_, options_, output_);
  if (auto done = begin_output(std::move(script)); !done) return done;
  for (uint32_t pid : targets_.live()) consumer_->note_process(pid);
  for (const auto& [pid, arguments] : targets_.execs()) consumer_->note_exec(pid, arguments);
  consumer_->catch_up_by([this] { take_names(); });
  framework_.on_ecb = [this](const EcbInfo& ecb) { consumer_->add_ecb(ecb); };
  framework_.on_message = [this](const std::string& text) { output_.message(text); };
  const Nanoseconds before_all = monotonic_now();
  auto enabled = [&] {
    const ProgressLine progress("enabling probes");
    return framework_.enable_all(enablings);
  }();
  if (!enabled) {
    if (source_ != nullptr) return std::move(enabled).error();
    return Error(enabled.error().message() + "\n    to trace every process: " + opened_.missing, EINVAL);
  }
  enabled_ = std::move(*enabled);
  for (const Enabling& enabling : enablings) clauses_.push_back(enabling.clause);

  // BEGIN comes first because records are consumed in time order. Targets wait until then; the rest of the machine does
  // not, so there BEGIN has the time before the first tap. Its actions run while the targets run.
  const bool others_run = source_ != nullptr && source_->capabilities().scope == SourceScope::Machine;
  framework_.fire(kBegin, {}, others_run ? before_all : 0);
  if (auto done = targets_.go(); !done) return done;
  consumer_->drain();
  began_ = monotonic_now();
  watch();
  return {};
}

/// Tells the printer which run this is.
Result<void> Tracing::begin_output(std::string script) {
  auto labels = parse_labels(options_.text("labels"));
  if (!labels) return std::move(labels).error();
  std::string host = options_.text("host");
  if (host.empty()) {
    char name[HOST_NAME_MAX + 1] = "";
    (void)::gethostname(name, sizeof name - 1);
    host = name;
  }
  const std::string source(source_ != nullptr ? source_->name() : "");
  consumer_->begin({std::move(host), std::move(*labels), std::move(script), source, &program_.aggregations});
  return {};
}

void Tracing::watch() {
  loop_.watch(interrupt_fd, POLLIN, [this] { take_signals(); });
  loop_.watch([this] { return source_ != nullptr ? source_->event_fd() : -1; }, POLLIN);
  loop_.watch([this] { return framework_.wake_fd(); }, POLLIN,
              [this] {
                framework_.take_wake();
                wanted_to_ = monotonic_now();
              });
  loop_.watch([this] { return output_.watched_fd(); }, 0, [this] { output_.note_reader_gone(); });
  loop_.every([this] { return std::min(options_.number("switchrate"), kLongestWait); });
  loop_.at([this] { return consumer_->next_due(); });
  loop_.at([this] { return hurry_due_; });
  loop_.at([this] { return deferred_.empty() ? EventLoop::kNever : 0; });
  if (options_.was_set("duration")) loop_.at([this] { return time_limit(); });
  if (options_.flag("eofexit")) loop_.watch([] { return STDIN_FILENO; }, POLLRDHUP, [this] { input_over_ = true; });
  if (!options_.was_set("interval")) return;
  snapshot_due_ = next_multiple(options_.number("interval"));
  loop_.at([this] { return snapshot_due_; },
           [this] {
             snapshot_due_ = next_multiple(options_.number("interval"));
             snapshot();
           });
}

void Tracing::take_signals() {
  if (!interrupted()) clear_interrupt_fd();
  if (take_asked(Asked::Snapshot)) snapshot();
  if (!take_asked(Asked::Reopen)) return;
  if (auto done = output_.reopen_first(); !done)
    output_.message(done.error().message() + "; going on with the old file");
  else
    consumer_->begin_file();
}

/// Prints all aggregations as they are now.
void Tracing::snapshot() {
  consumer_->drain();
  consumer_->snapshot();
}

Nanoseconds Tracing::time_limit() const {
  if (!options_.was_set("duration")) return EventLoop::kNever;
  return began_ + std::min(options_.number("duration"), EventLoop::kNever - began_);
}

// ---- the run ---------------------------------------------------------------------------------------------------

bool Tracing::ended() const {
  const bool patient = options_.was_set("statusrate");
  return interrupted() || output_.failed() || source_lost_ || input_over_ || monotonic_now() >= time_limit() ||
         (consumer_->exiting() && (reported_ || !patient));
}

/// The reason for the end, for printers. If several apply, the one that ended the run comes first.
std::string_view Tracing::why_ended() const {
  if (consumer_->exiting()) return "exit";
  if (interrupted()) return "signal";
  if (source_lost_) return "source";
  return input_over_ ? "input" : monotonic_now() >= time_limit() ? "limit" : "target";
}

void Tracing::run(const std::function<bool()>& over) {
  Nanoseconds report_due = monotonic_now() + options_.number("statusrate");
  while (!ended() && !over()) {
    turn();
    reported_ = monotonic_now() >= report_due;
    if (!reported_) continue;
    consumer_->report_drops();
    report_due = monotonic_now() + options_.number("statusrate");
  }
}

void Tracing::turn() {
  loop_.turn();
  if (auto done = take_events(); !done) {
    output_.message(done.error().message());
    source_lost_ = true;
  }
  consumer_->drain();
  hurry();
}

/// Records that are wanted at once may wait for a firing that has not ended: looks again soon.
void Tracing::hurry() {
  constexpr Nanoseconds kSoon = 1'000'000;
  if (consumer_->complete_to() >= wanted_to_) wanted_to_ = 0;
  hurry_due_ = wanted_to_ == 0 ? EventLoop::kNever : monotonic_now() + kSoon;
}

int Tracing::exit_status() const { return source_lost_ ? 1 : consumer_->exit_status(); }

// ---- the source's events ---------------------------------------------------------------------------------------

/// What an event says about names.
void Tracing::note_names(const SourceEvent& event) {
  if (const auto* seen = std::get_if<MappingSeen>(&event)) consumer_->note_mapping(seen->mapping, seen->ends);
  if (const auto* file = std::get_if<FileMapped>(&event)) consumer_->note_mapping(file->mapping, false);
  if (const auto* changed = std::get_if<ProgramChanged>(&event)) consumer_->note_program(*changed);
}

/// Notes what events since take_events() say about names. It is called while a body runs, so the rest of each event
/// waits for take_events().
void Tracing::take_names() {
  while (source_ != nullptr && !source_lost_) {
    auto event = source_->next_event();
    if (!event || !*event) return;  // take_events() will see the error again
    note_names(**event);
    deferred_.push_back(std::move(**event));
  }
}

Result<void> Tracing::take_events() {
  while (!deferred_.empty()) {
    const SourceEvent event = std::move(deferred_.front());
    deferred_.pop_front();
    if (auto done = take_event(event); !done) return done;
  }
  while (source_ != nullptr && !source_lost_) {
    auto event = source_->next_event();
    if (!event) return std::move(event).error();
    if (!*event) break;
    note_names(**event);
    if (auto done = take_event(**event); !done) return done;
  }
  return look_at_mapped();
}

/// Makes the probes of newly mapped files, then lets the threads that wait for that go on.
Result<void> Tracing::look_at_mapped() {
  if (mapped_.empty()) return {};
  const std::vector<FileMapped> mapped = std::exchange(mapped_, {});
  std::vector<std::string> paths;
  for (const FileMapped& file : mapped) {
    const FileMapping& mapping = file.mapping;
    if (file.origin != 0 && file.origin != mapping.pid) framework_.note_fork(file.origin, mapping.pid);
    if (file.origin == 0 && !framework_.note_file(mapping.pid, entry_of(mapping), file.waiting != 0)) continue;
    paths.push_back(mapping.path);
  }
  auto done = paths.empty() ? Result<void>() : framework_.modules_appeared(paths);
  for (const FileMapped& file : mapped)
    if (threads_ != nullptr && file.waiting != 0) (void)threads_->acknowledge(file.waiting).has_value();
  return done;
}

Result<void> Tracing::take_event(const SourceEvent& event) {
  return std::visit([this](const auto& one) { return take(one); }, event);
}

Result<void> Tracing::take(const TargetGone& gone) {
  targets_.note_end(gone.pid, gone.wait_status);
  return {};
}

Result<void> Tracing::take(const AllGone&) {
  targets_.note_all_gone();
  return {};
}

Result<void> Tracing::take(const FileMapped& file) {
  mapped_.push_back(file);
  return mapped_.size() < kMappedAtOnce ? Result<void>() : look_at_mapped();
}

Result<void> Tracing::take(const DataWaits&) {
  wanted_to_ = monotonic_now();
  return {};
}

Result<void> Tracing::take(const MappingSeen&) { return {}; }

Result<void> Tracing::take(const ProgramChanged&) { return {}; }

void show(Output& output, const Notice& notice) {
  if (notice.harm)
    output.harm(notice.text);
  else
    output.message(notice.text);
}

Result<void> Tracing::take(const Notice& notice) {
  show(output_, notice);
  return {};
}

/// Prints the notices that the source sent while it let the targets go.
void Tracing::take_notices() {
  for (auto event = source_->next_event(); event && *event; event = source_->next_event()) {
    if (const auto* notice = std::get_if<Notice>(&**event)) show(output_, *notice);
    note_names(**event);
  }
}

// ---- the end ---------------------------------------------------------------------------------------------------

void Tracing::set_end(std::function<std::string(Consumer&)> report, bool rest) {
  report_ = std::move(report);
  prints_rest_ = rest;
}

void Tracing::finish() {
  // Once the targets are let go nothing fires any more; what they did before is in the rings.
  std::string cost;
  if (source_ != nullptr && !source_lost_) {
    if (reports_cost_) cost = cost_of_tracing(*source_, began_);
    targets_.release();
    (void)framework_.disarm().has_value();
    take_notices();
    // Programs of -c are killed, processes of -p run on. If the run ends because our output has failed, all run on.
    if (!output_.failed()) targets_.kill_started();
  }
  framework_.suspend();
  if (output_.failed()) return;  // nobody could read what END prints
  consumer_->drain_all();
  consumer_->allow_end();
  framework_.fire(kEnd, {});
  consumer_->drain_all();
  consumer_->report_drops();
  const std::string report = report_ ? report_(*consumer_) : "";
  if (prints_rest_) consumer_->finish();
  consumer_->end({exit_status(), why_ended()});
  output_.write(report);
  output_.flush();
  if (reports_cost_) report_cut_strings();
  if (!cost.empty()) output_.message(cost);
  print_statistics();
}

void Tracing::report_cut_strings() {
  const uint64_t count = consumer_->full_strings();
  if (count == 0) return;
  output_.message(std::to_string(count) + (count == 1 ? " string fills" : " strings fill") + " strsize, " +
                  std::to_string(options_.number("strsize")) +
                  " bytes, and may be cut: -x strsize=N lets them be longer");
}

/// Whether a firing may leave a record. A clause that the fire part does whole, as { self->t = timestamp; }, has none.
static bool may_record(const ClauseDesc& clause) {
  return std::ranges::any_of(clause.fire->insns, [](const sonde_dif_insn& one) { return one.op == SONDE_DIF_RECORD; });
}

std::vector<Unfired> Tracing::unfired() { return unfired(enabled_, clauses_); }

std::vector<Unfired> Tracing::unfired(std::span<const uint32_t> enablings, std::span<const uint32_t> clauses) {
  sonde_statistics counted{};
  bool all_recorded = false;
  if (source_ != nullptr && !source_lost_) {
    if (auto statistics = source_->statistics()) {
      counted = *statistics;
      all_recorded = counted.firings == counted.records;
    }
  }
  const auto recorded = consumer_->recorded();
  std::vector<Unfired> found;
  for (size_t i = 0; i < std::min(enablings.size(), clauses.size()); i++) {
    const ClauseDesc& clause = program_.clauses[clauses[i]];
    if (clause.hidden || recorded.contains(&clause)) continue;
    const bool none_missing = all_recorded && framework_.joined(enablings[i]).tapped;
    if (!may_record(clause) && !none_missing) continue;
    const bool counted_all = !clause.has_predicate || none_missing;
    found.push_back({enablings[i], &clause, counted.drops == 0 && counted_all});
  }
  return found;
}

void Tracing::print_statistics() {
  if (std::getenv("SONDE_STATISTICS") == nullptr || source_ == nullptr || source_lost_) return;
  auto statistics = source_->statistics();
  if (!statistics) return;
  std::fprintf(stderr, "stops=%lu records=%lu drops=%lu firings=%lu steps=%lu emulated=%lu\n", statistics->stops,
               statistics->records, statistics->drops, statistics->firings, statistics->steps, statistics->emulated);
}

// ---- the prompt's ----------------------------------------------------------------------------------------------

Result<std::vector<uint32_t>> Tracing::enable(std::span<const Enabling> enablings) {
  auto ids = framework_.enable_all(enablings);
  if (!ids) return ids;
  std::vector<uint32_t> kept, begun;
  for (size_t i = 0; i < ids->size(); i++) (only_begin(enablings[i]) ? begun : kept).push_back((*ids)[i]);
  if (begun.empty()) return kept;
  framework_.fire(kBegin, {});
  consumer_->drain_all();
  if (auto done = framework_.disable_all(begun); !done) return std::move(done).error();
  return kept;
}

bool Tracing::only_begin(const Enabling& enabling) {
  return std::ranges::all_of(enabling.descriptions, [this](const ProbeDescription& description) {
    return framework_.match(description) == std::vector<ProbeId>{kBegin};
  });
}

Result<uint32_t> Tracing::start_target(const std::vector<std::string>& words,
                                       const std::optional<TerminalEnd>& terminal) {
  auto pid = targets_.start(words, terminal);
  if (!pid) return pid;
  consumer_->note_process(*pid);
  if (auto done = targets_.go(); !done) return std::move(done).error();
  return pid;
}

Result<uint32_t> Tracing::attach_target(uint32_t number) {
  auto pid = targets_.attach(number);
  if (!pid) return pid;
  consumer_->note_process(*pid);
  if (auto done = targets_.go(); !done) return std::move(done).error();
  return pid;
}

}  // namespace sonde
