// SPDX-License-Identifier: GPL-3.0-or-later
// A run, from its enablings to END
//
//   start    creates buffers, attaches, settles limits, enables probes, fires BEGIN, lets the targets run
//   run      turn: wait --> the source's events --> drain; until exit(), a signal, failed output, or the screen ends it
//   finish   lets the targets go, disarms, consumes the last records, fires END, prints what was not printed
//
// The command and the prompt are screens on its loop: they add the descriptors that they watch, and say when to end.
//
// Two invariants. The source's events are handled only between drains: a drain that needs the name of a process that
// has ended may read events (take_names()), but leaves all except mappings for the next turn. END fires when everything
// else has been consumed.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/body/output.h"
#include "runtime/consumer/consumer.h"
#include "runtime/framework/framework.h"
#include "runtime/lang/options.h"
#include "runtime/session/event_loop.h"
#include "runtime/session/targets.h"
#include "runtime/source/event_source.h"
#include "runtime/source/registry.h"

namespace sonde {

void show(Output& output, const Notice& notice);

/// A clause that has had no record.
struct Unfired {
  uint32_t enabling;
  const ClauseDesc* clause;
  bool certain;  ///< none of its probes has fired; false: perhaps its predicate was never true
};

/// Context: one thread.
class Tracing {
 public:
  /// All must outlive it. If no source was opened, only sonde's own probes fire.
  Tracing(const OpenedSource& opened, Framework& framework, const BodyProgram& program, Targets& targets,
          Options& options, Output& output);
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  /// `script`: SHA-256 of the texts in hex, for printers that identify the script of a run.
  Result<void> start(std::span<const Enabling> enablings, std::string script);
  /// The ids of start()'s enablings, in order.
  const std::vector<uint32_t>& enabled() const { return enabled_; }
  /// Makes turns until the run is over: exit() was called, a signal asks for the end, no output can be written any
  /// more, the source is gone, the time limit has passed, the input that it should end with has ended, or `over`
  /// returns true. exit() ends it at once or, where statusrate was set, at the next report of drops.
  void run(const std::function<bool()>& over);
  /// Does what remains after run(): END, the rest of the output, drops.
  void finish();
  /// The exit status of the run: 1 if the source was lost, else that of exit(), else 0.
  int exit_status() const;

  /// What is printed at the end in addition to the script's output: `report`, if any, and with `rest` the aggregations
  /// that were not printed.
  void set_end(std::function<std::string(Consumer&)> report, bool rest);
  /// Makes finish() print a line on the cost of tracing, if that was much, and a line on the number of strings that
  /// were cut.
  void report_cost() { reports_cost_ = true; }

  /// The clauses that have had no record, in order. Call it after finish(). Firings cost nothing for it: what the source
  /// counts anyway says whether predicates kept records back, and whether clauses that leave none were fired. If records
  /// were lost, nothing is certain.
  std::vector<Unfired> unfired();
  /// The same of these, each of which is of the clause at its place.
  std::vector<Unfired> unfired(std::span<const uint32_t> enablings, std::span<const uint32_t> clauses);

  // For a prompt.
  /// Returns the ids of the enablings, for Framework::disable(). BEGIN fires for them, once; an enabling of only BEGIN
  /// is then gone.
  Result<std::vector<uint32_t>> enable(std::span<const Enabling> enablings);
  Result<uint32_t> start_target(const std::vector<std::string>& words, const std::optional<TerminalEnd>& terminal = {});
  /// Returns the process: `number` may be that of a thread.
  Result<uint32_t> attach_target(uint32_t number);

  EventLoop& loop() { return loop_; }
  /// Valid after start().
  Consumer& consumer() { return *consumer_; }

 private:
  void turn();
  Result<void> take_events();
  void note_names(const SourceEvent& event);
  void take_names();
  void take_notices();
  Result<void> look_at_mapped();
  Result<void> take_event(const SourceEvent& event);
  Result<void> take(const TargetGone& gone);
  Result<void> take(const AllGone&);
  Result<void> take(const FileMapped& file);
  Result<void> take(const MappingSeen& mapping);
  Result<void> take(const ProgramChanged& changed);
  Result<void> take(const Notice& notice);
  // Handled by the source itself, or nothing to do: each turn drains anyway.
  Result<void> take(const DataWaits&);
  void hurry();
  Result<void> take(const RingsAdded&) { return {}; }
  Result<void> take(const SourceStays&) { return {}; }
  bool only_begin(const Enabling& enabling);
  void watch();
  Result<void> begin_output(std::string script);
  std::string_view why_ended() const;
  void take_signals();
  void snapshot();
  Nanoseconds time_limit() const;
  bool ended() const;
  void report_cut_strings();
  void print_statistics();

  const OpenedSource& opened_;
  EventSource* source_;     ///< of `opened_`; null: there is none
  ThreadControl* threads_;  ///< of the source; null when no thread ever waits
  Framework& framework_;
  const BodyProgram& program_;
  Targets& targets_;
  Options& options_;
  Output& output_;
  EventLoop loop_;
  std::vector<uint32_t> enabled_;
  std::vector<uint32_t> clauses_;  ///< of these enablings
  std::unique_ptr<Consumer> consumer_;
  std::function<std::string(Consumer&)> report_;
  bool prints_rest_ = true;
  bool reports_cost_ = false;
  bool reported_ = true;  ///< the last turn reported drops
  bool source_lost_ = false;
  bool input_over_ = false;  ///< the input that -x eofexit waits for has ended
  Nanoseconds began_ = 0;    ///< when the targets were let go
  Nanoseconds snapshot_due_ = EventLoop::kNever;
  Nanoseconds wanted_to_ = 0;                  ///< records up to then are wanted at once; 0: none
  Nanoseconds hurry_due_ = EventLoop::kNever;  ///< when to look for them again
  std::vector<FileMapped> mapped_;             ///< read, but its probes are not made yet
  std::deque<SourceEvent> deferred_;           ///< read early by take_names(); take_events() handles them
};

}  // namespace sonde
