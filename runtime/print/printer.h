// SPDX-License-Identifier: GPL-3.0-or-later
// What makes output of values
//
//   start --> { begin_record item... end_record | aggregation | dropped | faulted }... --> rest --> end
//
// The consumer calls a printer in this order. A printer appends to its sink's text, which the consumer writes out when there is
// enough of it, before a message, before it does what an item asks for (system(), freopen()), and at the end of each drain. So a
// printer that draws one picture of all writes nothing before end().
//
// Drops and faults are values, too; what they are called in DTrace's words goes to the messages in every format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/agg/snapshot.h"
#include "runtime/print/printers.h"
#include "runtime/print/trace_record.h"
#include "runtime/program/fault.h"
#include "runtime/program/program.h"

namespace sonde {

/// What a run is.
struct RunStart {
  std::string host;
  std::vector<std::string> labels;  ///< "role=db"
  std::string script;               ///< SHA-256 of the texts, in hex
  std::string source;               ///< of events; empty: none
  const std::deque<AggregationDesc>* aggregations = nullptr;
  uint64_t interval = 0;  ///< ns between snapshots; 0: there are none but at the end and by printa()
  bool deltas = false;    ///< a snapshot holds what came since the last one
};

/// How it has ended.
struct RunEnd {
  int status = 0;
  std::string_view reason;  ///< exit, signal, target, sink, source
};

/// Records that are lost, all of one kind since the last report.
struct Drop {
  enum class Kind : uint8_t {
    Principal,
    Aggregation,
    Dynamic,
    Speculation,
    SpeculationBusy,
    SpeculationUnavailable,
    ErrorInError,
    Output,  ///< printed, and not taken by who reads it
    Malformed,
  };
  Kind kind;
  uint64_t count;
  std::optional<uint32_t> cpu;
};

/// A clause that was ended by a fault.
struct FaultReport {
  uint32_t epid = 0;
  const ProbeInfo* probe = nullptr;
  uint64_t action = 0;  ///< as BodyContext has it
  Fault fault = Fault::None;
  uint64_t value = 0;
  std::string place;         ///< lines of the source that show it, each behind a newline; empty: it was shown before
  uint64_t more_before = 0;  ///< of the same kind, not told
};

/// As -x quiet and flowindent are now; a record remembers what they were.
struct RowStyle {
  bool quiet = false;
  bool flowindent = false;
};

/// Where a printer's output goes.
struct PrintSink {
  std::string text;                               ///< traced output that waits to be written
  std::function<void(std::string_view)> message;  ///< one diagnostic, after `text`
  int64_t wall_offset = 0;                        ///< CLOCK_REALTIME - CLOCK_MONOTONIC
};

/// Context: one thread.
class Printer {
 public:
  explicit Printer(PrintSink& sink) : sink_(sink) {}
  virtual ~Printer() = default;
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  virtual void start(const RunStart&) {}
  virtual void begin_record(const TraceRecord& record, RowStyle now) = 0;
  /// One of the record's items. An item that asks for something is shown before it is done.
  virtual void item(TraceRecord& record, const TraceItem& item) = 0;
  virtual void end_record(const TraceRecord& record, RowStyle now) = 0;
  /// The record is dropped, for nobody reads fast enough. Returns how many lines it would have had, as this printer counts them.
  virtual uint64_t skip(const TraceRecord&) { return 1; }
  /// Aggregations that no action prints: at the end, and on request.
  virtual void aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) = 0;
  /// `tagged`: the message begins with the kind's tag (-x droptags).
  virtual void dropped(const Drop& drop, bool tagged);
  virtual void faulted(const FaultReport& fault);
  /// All aggregations of a moment have been shown, at an interval or on request.
  virtual void end_snapshot() {}
  /// END has run. What follows are aggregations that were never printed.
  virtual void rest() {}
  virtual void end(const RunEnd&) {}

 protected:
  PrintSink& sink_;
};

/// The printer of a row. `sink` must outlive it.
std::unique_ptr<Printer> make_printer(std::string_view name, PrintSink& sink);

/// "1 drop on CPU 0"
std::string drop_message(const Drop& drop);
/// "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at DIF offset 0"
std::string fault_message(const FaultReport& fault);

}  // namespace sonde
