// SPDX-License-Identifier: GPL-3.0-or-later
// A run, from its enablings to END
//
//   start    buffers, processes attached to, limits settled, probes enabled, BEGIN fired, targets let go
//   run      turn: wait --> the source's events --> drain; until exit(), a signal, nobody reads, or the screen's own end
//   finish   targets let go, probes disarmed, last records, END, what was not printed
//
// The command, the prompt and whatever else shows a run are screens on its loop: they add what they watch, and say when they have seen enough.
//
// Two things must stay true. Events of the source are acted on between drains only: a drain that needs the name of a process that has ended may read
// events (take_names()), and leaves all that are not mappings for the next turn. END fires when everything else has been consumed.
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

/// Context: one thread.
class Tracing {
 public:
  /// All must outlive it. Where nothing was opened, only probes of our own fire.
  Tracing(const OpenedSource& opened, Framework& framework, const BodyProgram& program, Targets& targets,
          Options& options, Output& output);
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  /// `script`: SHA-256 of the texts, in hex, for printers that say which script a run is of.
  Result<void> start(std::span<const Enabling> enablings, std::string script);
  /// Turns until the run is over: exit() was called, a signal asks for the end, nothing of the output can be written any more, the source is
  /// gone, the time that it may take has passed, the input that it is to end with has ended, or `over` says so. exit() ends it at once; where statusrate was set, at the next report of drops.
  void run(const std::function<bool()>& over);
  /// What run() has left: END, the rest of the output, drops.
  void finish();
  /// Of the run: 1 where the source was lost, else what exit() said, else 0.
  int exit_status() const;

  /// What is printed at the end besides what the script prints: `report`, if any, and with `rest` the aggregations that were not printed.
  void set_end(std::function<std::string(Consumer&)> report, bool rest);
  /// At the end a line says what tracing has cost, where it was much, and another one how many strings were cut.
  void report_cost() { reports_cost_ = true; }

  // For a prompt.
  /// The ids of the enablings, for Framework::disable(). BEGIN fires for these, once; an enabling of BEGIN alone is gone then.
  Result<std::vector<uint32_t>> enable(std::span<const Enabling> enablings);
  Result<uint32_t> start_target(const std::vector<std::string>& words);
  Result<void> attach_target(uint32_t pid);

  EventLoop& loop() { return loop_; }
  /// From start() on.
  Consumer& consumer() { return *consumer_; }

 private:
  void turn();
  Result<void> take_events();
  void take_names();
  void take_notices();
  Result<void> look_at_mapped();
  Result<void> take_event(const SourceEvent& event);
  Result<void> take(const TargetGone& gone);
  Result<void> take(const AllGone&);
  Result<void> take(const FileMapped& file);
  Result<void> take(const MappingEnds& mapping);
  Result<void> take(const ProgramChanged& changed);
  Result<void> take(const Notice& notice);
  // The source's own, or nothing to do: each turn drains anyway.
  Result<void> take(const DataWaits&) { return {}; }
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
  EventSource* source_;     ///< the opened one; null: there is none
  ThreadControl* threads_;  ///< its; null where no thread ever waits
  Framework& framework_;
  const BodyProgram& program_;
  Targets& targets_;
  Options& options_;
  Output& output_;
  EventLoop loop_;
  std::unique_ptr<Consumer> consumer_;
  std::function<std::string(Consumer&)> report_;
  bool prints_rest_ = true;
  bool reports_cost_ = false;
  bool reported_ = true;  ///< the last turn has reported drops
  bool source_lost_ = false;
  bool input_over_ = false;  ///< of -x eofexit
  Nanoseconds began_ = 0;    ///< when the targets were let go
  Nanoseconds snapshot_due_ = EventLoop::kNever;
  std::vector<FileMapped> mapped_;    ///< taken, not looked at yet
  std::deque<SourceEvent> deferred_;  ///< taken by take_names() on its way, for take_events()
};

}  // namespace sonde
