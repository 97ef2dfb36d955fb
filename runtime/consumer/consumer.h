// SPDX-License-Identifier: GPL-3.0-or-later
// The consumer: drains the rings in time order, runs bodies, prints.
//
//   rings --MergeReader--> record --epid--> clause --> body(BodyContext) --> TraceRecord --> Printer --> Output
//
// The clauses of one firing run one after another and share this->. What a clause traces is printed when it has ended
// without a fault.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/body/context.h"
#include "runtime/body/output.h"
#include "runtime/framework/framework.h"
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
  ~Consumer();
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  /// Announces a new ECB (Framework::on_ecb). Probe and clause must outlive the consumer.
  void add_ecb(const EcbInfo& ecb);

  /// Consumes all records that are complete. Returns their number. Call it every switchrate, and when DataWaits
  /// arrives.
  uint64_t drain();
  /// The same at the end of a run: consumes every record, whatever the low-water marks say.
  uint64_t drain_all();
  /// Runs one record's body as drain() would; for tests and benchmarks.
  void consume(const sonde_record& record);

  /// exit() has been called: from now on only END is consumed.
  bool exiting() const;
  int exit_status() const;
  /// Lets END's clauses run in spite of exiting(). Call it before END is fired.
  void allow_end();

  /// Tells the printer what the run is. Call it before anything is consumed.
  void begin(const RunStart& start);
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
  /// The elements of an aggregation whose only key is a string. The aggregation is then not printed at the end.
  std::vector<std::pair<std::string, int64_t>> take_values(std::string_view name);
  /// CLOCK_MONOTONIC time at which drain() must release the next thread that chill() holds. UINT64_MAX: none.
  Nanoseconds next_due() const;
  /// Reports the drops since the last call through Output::message, in DTrace's words.
  void report_drops();

  /// The arguments of the exec that started a program before anything was traced, for argstr at its return.
  void note_exec(uint32_t pid, std::string arguments);
  /// Remembers the mappings of a process, so that its addresses resolve after its end.
  void note_process(uint32_t pid);
  /// It runs another program now.
  void note_program(uint32_t pid);
  void note_mapping(const MappingEnds& mapping);
  /// Sets a callback that reads the MappingEnds events that have arrived. It is called, even inside drain(), when an
  /// address has no name.
  void catch_up_by(std::function<void()> way);

  /// How many strings of traced programs filled strsize, and so may have been cut.
  uint64_t full_strings() const;
  uint64_t records() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde
