// SPDX-License-Identifier: GPL-3.0-or-later
// The consumer: drains the rings in time order, runs bodies, prints.
//
//   rings --MergeReader--> record --epid--> clause --> body(BodyContext) --> TraceRecord --> Printer --> Output
//
// The clauses of one firing run one after another and share this->. What a clause traces is printed when it has ended
// without a fault.
//
// consume() has a budget: 20 million records a second. It checks the record, finds the ECB by index, sets up the
// context, calls the body, and prints only if something was traced. Nothing on this path allocates.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/body/context.h"
#include "runtime/body/output.h"
#include "runtime/body/state.h"
#include "runtime/buffer/ring.h"
#include "runtime/consumer/faults.h"
#include "runtime/consumer/kept_records.h"
#include "runtime/consumer/process_names.h"
#include "runtime/consumer/unnamed_calls.h"
#include "runtime/framework/framework.h"
#include "runtime/framework/local_firing.h"
#include "runtime/lang/options.h"
#include "runtime/print/printer.h"
#include "runtime/program/program.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// Context: one thread.
class Consumer {
 public:
  /// All references must outlive the consumer. `source` may be null.
  Consumer(const BodyProgram& program, Framework& framework, EventSource* source, Options& options, Output& output);
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  /// Announces a new ECB (Framework::on_ecb). Probe and clause must outlive the consumer.
  void add_ecb(const EcbInfo& ecb);

  /// Consumes all records that are complete. Returns their number. Call it every switchrate, and when DataWaits
  /// arrives.
  uint64_t drain() { return drain(false); }
  /// The same at the end of a run: consumes every record, whatever the low-water marks say.
  uint64_t drain_all() { return drain(true); }
  /// Runs one record's body as drain() would; for tests and benchmarks.
  void consume(const sonde_record& record);

  /// All that had fired by then has been consumed. A firing that goes on keeps what came after it from being so.
  Nanoseconds complete_to() const { return reader_.complete_to(); }

  /// exit() has been called: from now on only END is consumed.
  bool exiting() const { return exiting_; }
  int exit_status() const { return exit_status_; }
  /// The probe whose clause called exit().
  ProbeId exit_probe() const { return exit_probe_; }
  /// Lets END's clauses run in spite of exiting(). Call it before END is fired.
  void allow_end();

  /// Tells the printer what the run is. Call it before anything is consumed.
  void begin(RunStart start);
  /// Tells it that its output goes to a new file from here on.
  void begin_file();
  /// Prints every aggregation that was never printed, in order of definition; all of them if they are shown at an
  /// interval.
  void finish();
  /// Ends the output: writes what printers have kept for the end.
  void end(const RunEnd& end);
  /// Prints all aggregations now: at an interval, or on request. One for which the output has no room waits for the
  /// next call.
  void snapshot();
  /// Prints one aggregation now ("name", without @), or all; for the prompt.
  Result<void> print_aggregation(std::string_view name);
  /// Removes the elements of one aggregation ("name", without @), or of all; for the prompt. Errors: ENOENT.
  Result<void> clear_aggregation(std::string_view name);
  /// The elements of an aggregation whose only key is a string. The aggregation is then not printed at the end.
  std::vector<std::pair<std::string, int64_t>> take_values(std::string_view name);
  /// CLOCK_MONOTONIC time at which drain() must release the next thread that chill() holds. UINT64_MAX: none.
  Nanoseconds next_due() const { return chilled_.empty() ? UINT64_MAX : chilled_.begin()->first; }
  /// Reports the drops since the last call through Output::message, in DTrace's words.
  void report_drops();

  /// The arguments of the exec that started a program before anything was traced, for argstr at its return.
  void note_exec(uint32_t pid, std::string arguments) { state_.calls_before[pid] = std::move(arguments); }
  /// Remembers the mappings of a process, so that its addresses resolve after its end.
  void note_process(uint32_t pid) { names_.note(pid); }
  /// It runs another program now.
  void note_program(const ProgramChanged& changed) { names_.note_program(changed.pid, changed.time); }
  /// `ends`: the process is ending, or replacing its program.
  void note_mapping(const FileMapping& mapping, bool ends);
  /// Sets a callback that reads the events about mappings that have arrived. It is called before records are consumed,
  /// and, even inside drain(), when an address has no name.
  void catch_up_by(std::function<void()> way);

  /// The lines of a user stack of `pid` as it is now, as ustack() prints them.
  std::string stack_text(uint32_t pid, std::span<const uint64_t> frames);

  /// How many strings of traced programs filled strsize, and so may have been cut.
  uint64_t full_strings() const { return state_.full_strings; }
  uint64_t records() const { return records_; }
  /// The clauses that have had a record.
  std::unordered_set<const ClauseDesc*> recorded() const;
  /// Those whose predicate was true of a record, or that have none.
  std::unordered_set<const ClauseDesc*> passed() const;

 private:
  /// An ECB with what its records need to run.
  struct ConsumerEcb {
    const ProbeInfo* probe = nullptr;
    const ClauseDesc* clause = nullptr;
    bool recorded = false;  ///< it has had a record
    bool passed = false;    ///< and its predicate was true
  };
  static constexpr uint32_t kErrorProbe = 3;
  static constexpr size_t kFewRemembered = 256;

  uint64_t drain(bool all);
  void flush();
  std::unordered_set<const ClauseDesc*> clauses_with(bool ConsumerEcb::*flag) const;
  ConsumerEcb* find(const sonde_record& record);
  bool wanted(const sonde_record& record) const;
  void begin_firing(const sonde_record& record);
  void find_cells(uint32_t tid);
  void tell_lacking(const sonde_record& record, const ConsumerEcb& ecb);
  const ProbeInfo* probe_of(const sonde_record& record, const ConsumerEcb& ecb);
  /// False: the predicate is.
  bool run(const sonde_record& record, ConsumerEcb& ecb);
  void take_traced();
  void output_trace(TraceRecord& record);
  void show_aggregations(const std::function<bool(const AggTable&)>& wanted);
  static bool may_drop(const TraceRecord& record);
  void print(TraceRecord& record);
  void run_request(TraceRecord& record, const TraceItem& item);
  RowStyle style() const { return {state_.format.quiet, state_.flowindent, state_.same_stack}; }
  void fault(const sonde_record& record, const ConsumerEcb& ecb);
  void release_thread(const sonde_record& record);
  void let_go(uint32_t tid, Release how);
  void let_go_due();
  void add_new_rings();
  void take(const sonde_record& record);
  void take_folded();
  void consume_folded(const FoldedFirings& firings);
  void find_error(bool all);
  void forget_ended();
  void drop(Drop::Kind kind, uint64_t count, std::optional<uint32_t> cpu = {});

  ProcessNames names_;
  size_t most_remembered_ = kFewRemembered;  ///< by names_ before forget_ended() looks
  std::function<void()> catch_up_ = [] {};
  const BodyProgram& program_;
  Framework& framework_;
  EventSource* source_;
  Options& options_;
  Output& output_;
  BodyState state_;
  BodyContext context_{};
  std::vector<ConsumerEcb> ecbs_;  ///< index: epid
  UnnamedCalls unnamed_calls_;
  bool exiting_ = false;
  bool exited_in_error_ = false;  ///< a clause of ERROR has called exit()
  bool end_allowed_ = false;
  int exit_status_ = 0;
  ProbeId exit_probe_;
  uint64_t records_ = 0;
  uint64_t malformed_ = 0;    ///< records that sonde_record_check() refused
  uint64_t fault_count_ = 0;  ///< faults that fired ERROR
  uint64_t double_errors_ = 0;
  PrintSink sink_;
  std::unique_ptr<Printer> printer_;
  size_t room_ = output_.room();            ///< bytes that the output could take without waiting, at the last check
  std::map<uint32_t, uint64_t> unwritten_;  ///< by CPU: records for which the output had no room
  KeptRecords kept_;
  std::map<uint32_t, uint64_t> unkept_;  ///< by CPU: trace records for which the CPU's buffer had no room
  FiringId firing_;
  std::multimap<Nanoseconds, std::pair<uint32_t, Release>>
      chilled_;  ///< threads that chill() holds, by the time they go on
  bool have_firing_ = false;
  std::optional<uint32_t> only_cpu_;
  const uint32_t own_pid_ = static_cast<uint32_t>(getpid());
  bool error_enabled_ = false;                   ///< some clause of ERROR is enabled
  bool error_pending_ = false;                   ///< ERROR has fired for a fault; its records are not consumed yet
  std::deque<std::vector<uint64_t>> held_back_;  ///< records read during the search for ERROR's records, in order
  MergeReader reader_;
  std::set<const sonde_ring*> known_rings_;
  LackingLines lacking_;
  uint64_t reported_malformed_ = 0;
  FaultLog faults_{[this](const FaultReport& fault) { printer_->faulted(fault); }};
};

}  // namespace sonde
