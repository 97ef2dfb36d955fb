// SPDX-License-Identifier: GPL-3.0-or-later
// Printers: they turn values into output
//
//   start --> { begin_record item... end_record | settle | aggregation | dropped | faulted }... --> rest --> end
//
// The consumer calls a printer in this order. A printer appends to its sink's text. The consumer writes that text when
// it has become long, before a message, before it does what an item asks for (system(), freopen()), and at the end of
// each drain. So a printer that draws one picture writes nothing before end().
//
// Drops and faults are values, too; DTrace's messages for them are written in every format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/agg/snapshot.h"
#include "runtime/print/flow_tree.h"
#include "runtime/print/printers.h"
#include "runtime/print/trace_record.h"
#include "runtime/program/fault.h"
#include "runtime/program/program.h"

namespace sonde {

/// The description of a run.
struct RunStart {
  std::string host;
  std::vector<std::string> labels;  ///< "role=db"
  std::string script;               ///< SHA-256 of the texts, in hex
  std::string source;               ///< event source; empty: none
  const std::deque<AggregationDesc>* aggregations = nullptr;
  uint64_t interval = 0;  ///< ns between snapshots; 0: only at the end and by printa()
  bool deltas = false;    ///< a snapshot has only what was added since the last one
  FlowStyle flow;         ///< how -F shows calls, as text
  std::string title;      ///< of a picture
};

/// How a run has ended.
struct RunEnd {
  int status = 0;
  std::string_view reason;  ///< exit, signal, target, sink, source
};

/// Lost records of one kind since the last report.
struct Drop {
  enum class Kind : uint8_t {
    Principal,
    Aggregation,
    Dynamic,
    Speculation,
    SpeculationBusy,
    SpeculationUnavailable,
    ErrorInError,
    Output,  ///< formatted, but the reader of the output is too slow
    Malformed,
  };
  Kind kind;
  uint64_t count;
  std::optional<uint32_t> cpu;
};

/// A clause that a fault has ended.
struct FaultReport {
  uint32_t epid = 0;
  const ProbeInfo* probe = nullptr;
  uint64_t action = 0;  ///< number of the action, as in BodyContext
  Fault fault = Fault::None;
  uint64_t value = 0;
  std::string place;         ///< lines that show the statement, each ending in a newline; empty: shown before
  uint64_t more_before = 0;  ///< faults of the same kind that were counted instead of reported
};

/// The current values of -x quiet, flowindent and samestack; a record keeps the first two of its firing.
struct RowStyle {
  bool quiet = false;
  bool flowindent = false;
  bool same_stack = false;
};

/// Where a printer's output goes.
struct PrintSink {
  std::string text;                               ///< traced output that waits to be written
  std::function<void(std::string_view)> message;  ///< writes one diagnostic, after `text`
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
  /// From here on the output goes to another file (SIGHUP), which must be readable without the first.
  virtual void file_begins() {}
  virtual void begin_record(const TraceRecord& record, RowStyle now) = 0;
  /// One of the record's items. An item that asks for an action is shown before the action is done.
  virtual void item(TraceRecord& record, const TraceItem& item) = 0;
  virtual void end_record(const TraceRecord& record, RowStyle now) = 0;
  /// The record is dropped, because the reader is too slow. Returns how many lines it would have had in this format.
  virtual uint64_t skip(const TraceRecord&) { return 1; }
  /// Every firing that has begun is complete, and what follows may go to another file.
  virtual void settle() {}
  /// Aggregations that no action prints: those at the end, and on request.
  virtual void aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) = 0;
  /// `tagged`: the message begins with the kind's tag (-x droptags).
  virtual void dropped(const Drop& drop, bool tagged);
  virtual void faulted(const FaultReport& fault);
  /// The snapshot is complete: all aggregations were shown, at an interval or on request.
  virtual void end_snapshot() {}
  /// END has run. Aggregations that were never printed follow.
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
/// "invalid address (0x0)"
std::string fault_words(const FaultReport& fault);
/// Whether `value` of a FaultReport means something: an address, a size, an index.
bool fault_has_value(Fault fault);

}  // namespace sonde
