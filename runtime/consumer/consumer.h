// SPDX-License-Identifier: GPL-3.0-or-later
// The consumer: drains rings in time order, runs bodies, prints.
//
//   rings --MergeReader--> record --epid--> clause --> body(BodyContext) --> TraceRecord --> Printer --> Output
//
// One firing's clauses run one after the other and share this->. What a clause records is printed when it has ended without a fault.
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

  /// An ECB exists from now on (Framework::on_ecb). Probe and clause must outlive the consumer.
  void add_ecb(const EcbInfo& ecb);

  /// Consumes all that is complete by now. Returns records consumed. Call every switchrate, and at DataWaits.
  uint64_t drain();
  /// The same, at the end: everything, without regard to low-water marks.
  uint64_t drain_all();
  /// Runs one record's body as drain() would; for tests and benchmarks.
  void consume(const sonde_record& record);

  /// exit() has run: no other probe but END is consumed from now on.
  bool exiting() const;
  int exit_status() const;
  /// END's clauses may run although exiting() (set before END is fired).
  void allow_end();

  /// Before anything is consumed, where a printer is to say what the run is.
  void begin(const RunStart& start);
  /// Every aggregation that was never printed, in order of definition; where they are shown at an interval, all.
  void finish();
  /// The last word; what printers have kept for the end is written.
  void end(const RunEnd& end);
  /// Prints all aggregations now: at an interval, or on request. One that the output has no room for waits for the next.
  void snapshot();
  /// Prints one aggregation now ("name", without @), or all; for the prompt.
  Result<void> print_aggregation(std::string_view name);
  /// The elements of an aggregation whose only key is a string, and their values. They are not printed at the end any more.
  std::vector<std::pair<std::string, int64_t>> take_values(std::string_view name);
  /// When a thread that chill() holds is to go on, CLOCK_MONOTONIC; drain() lets it go. UINT64_MAX: there is none.
  Nanoseconds next_due() const;
  /// Reports drops since the last call through Output::message, in DTrace's words.
  void report_drops();

  /// The arguments of the exec that started a program before anything was traced, for argstr at its return.
  void note_exec(uint32_t pid, std::string arguments);
  /// Remembers the mappings of a process, so that its addresses resolve after its end.
  void note_process(uint32_t pid);
  /// It runs another program now.
  void note_program(uint32_t pid);
  void note_mapping(const MappingEnds& mapping);
  /// `way` takes the MappingEnds that are there by now. Called, also while drain() works, for an address without a name.
  void catch_up_by(std::function<void()> way);

  /// Strings of the traced program that were as long as strsize lets them be, so that they may be longer in truth.
  uint64_t full_strings() const;
  uint64_t records() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde
