// SPDX-License-Identifier: GPL-3.0-or-later
// JSON Lines: docs/output.md explains them, docs/format/lines.schema.json is their schema
//
//   start   record record ...   agg agg ... ledger   ...   agg agg ... ledger   end
//                               `-- a snapshot ----'
//
// An engine that merges the lines of many runs and hosts needs one rule: of the elements with equal run, aggregation,
// keys and start, the latest counts. So values are raw, normalize() is a field, and clear() begins a new start.
//
// Log collectors cut long lines, so a record's line has at most kLongest bytes: it is made again with shorter strings
// and fewer frames until it fits. The keys of an element have at most kLongestKeys, which leaves room for its values. A
// distribution is never cut.
#include <algorithm>
#include <array>
#include <utility>

#include "runtime/print/json_values.h"
#include "runtime/print/plain_values.h"
#include "runtime/print/printer.h"
#include "runtime/print/run_identity.h"

namespace sonde {
namespace {

constexpr size_t kLongest = 16 * 1024;
constexpr size_t kLongestKeys = 12 * 1024;
constexpr size_t kShortest = 16;
constexpr int kSchema = 1;

/// Counters, kept for a snapshot and for the run.
struct Ledger {
  uint64_t elements = 0, records = 0, drops = 0, agg_drops = 0, dynvar_drops = 0, spec_drops = 0, output_drops = 0,
           faults = 0, truncated = 0;
};

struct LedgerField {
  std::string_view name;
  uint64_t Ledger::*count;
};
constexpr auto kLedgerFields = std::to_array<LedgerField>({
    {"elements", &Ledger::elements},
    {"records", &Ledger::records},
    {"drops", &Ledger::drops},
    {"agg_drops", &Ledger::agg_drops},
    {"dynvar_drops", &Ledger::dynvar_drops},
    {"spec_drops", &Ledger::spec_drops},
    {"output_drops", &Ledger::output_drops},
    {"faults", &Ledger::faults},
    {"truncated", &Ledger::truncated},
});

class JsonlPrinter final : public Printer {
 public:
  using Printer::Printer;

  void start(const RunStart& start) override;
  void file_begins() override { describe_run(wall_clock()); }
  void begin_record(const TraceRecord&, RowStyle) override { shown_ = prints_aggregations_ = false; }
  void item(TraceRecord& record, const TraceItem& item) override;
  void end_record(const TraceRecord& record, RowStyle) override;
  uint64_t skip(const TraceRecord& record) override;
  void aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) override;
  void dropped(const Drop& drop, bool tagged) override;
  void faulted(const FaultReport& fault) override;
  void end_snapshot() override { close_snapshot(); }
  void end(const RunEnd& end) override;

 private:
  template <typename Fill>
  void line(std::string_view type, uint64_t time, size_t longest, Fill fill);
  void count(uint64_t Ledger::*what, uint64_t by = 1);
  void describe(const AggregationDesc& desc, JsonLine& line);
  void describe_run(uint64_t now);
  void firing(const TraceRecord& record, JsonLine& line);
  void action(const TraceRecord& record, const TraceItem& item, JsonLine& line);
  void element(const AggTable& table, const NamedElement& element, JsonLine& line);
  void close_snapshot();
  void counts(const Ledger& ledger, JsonLine& line);
  uint64_t wall_time(uint64_t monotonic) const { return monotonic + static_cast<uint64_t>(sink_.wall_offset); }

  const std::string run_ = random_run_id();
  const uint64_t began_ = wall_clock();
  RunStart start_;
  uint64_t seq_ = 0;
  bool shown_ = false;                ///< the record has a line already
  bool prints_aggregations_ = false;  ///< the record prints a snapshot
  Ledger since_;                      ///< counters of the open snapshot
  Ledger all_;
  uint64_t snapshot_ = 0;
  uint64_t snapshot_start_ = began_;
};

/// `fill` writes the fields of a line type. It may be called again.
template <typename Fill>
void JsonlPrinter::line(std::string_view type, uint64_t time, size_t longest, Fill fill) {
  ++seq_;
  const size_t begin = sink_.text.size();
  bool is_cut = false;
  for (size_t most = SIZE_MAX;; most = std::min(most, kLongest) / 2) {
    sink_.text.resize(begin);
    JsonLine made(sink_.text, most);
    made.key("type").string(type);
    made.key("host").string(start_.host);
    made.key("run").string(run_);
    made.key("seq").number(seq_);
    made.key("ts").time(time);
    fill(made);
    made.finish();
    is_cut = made.is_cut();
    if (sink_.text.size() - begin <= longest || most <= kShortest) break;
  }
  if (is_cut) count(&Ledger::truncated);
}

void JsonlPrinter::count(uint64_t Ledger::*what, uint64_t by) {
  since_.*what += by;
  all_.*what += by;
}

void JsonlPrinter::describe(const AggregationDesc& desc, JsonLine& line) {
  line.open('{');
  line.key("agg").string(desc.name);
  line.key("func").string(row_of(desc.function).name);
  line.key("params").open('[');
  for (const int64_t parameter : desc.params) line.number(parameter);
  line.close(']');
  line.key("keys").open('[');
  for (size_t i = 0; i < desc.keys.size(); ++i) {
    line.open('{');
    line.key("name").string(key_name(desc, i));
    line.key("type").string(key_type_name(desc.keys[i]));
    line.close('}');
  }
  line.close(']');
  line.close('}');
}

void JsonlPrinter::start(const RunStart& start) {
  start_ = start;
  describe_run(began_);
}

void JsonlPrinter::describe_run(uint64_t now) {
  const RunStart& start = start_;
  line("start", now, SIZE_MAX, [&](JsonLine& line) {
    line.key("schema").number(int64_t{kSchema});
    line.key("version").string(SONDE_VERSION);
    line.key("boot_id").string(boot_id());
    line.key("kernel").string(kernel_release());
    line.key("script").string(start.script);
    line.key("source").string(start.source.empty() ? "none" : start.source);
    line.key("interval").number(start.interval);
    line.key("temporality").string(start.deltas ? "delta" : "cumulative");
    line.key("labels").open('[');
    for (const std::string& label : start.labels) line.string(label);
    line.close(']');
    line.key("clock_error").number(clock_error());
    line.key("aggs").open('[');
    for (const AggregationDesc& desc : *start.aggregations) describe(desc, line);
    line.close(']');
  });
}

// ---- records -------------------------------------------------------------------------------------------------------

void JsonlPrinter::firing(const TraceRecord& record, JsonLine& line) {
  line.key("firing").number(record.firing);
  line.key("probe").string(probe_text(*record.probe));
  line.key("cpu").number(uint64_t{record.cpu});
  line.key("pid").number(uint64_t{record.pid});
  line.key("tid").number(uint64_t{record.tid});
  if (const auto name = record.execname_text()) line.key("execname").string(*name);
}

void JsonlPrinter::action(const TraceRecord& record, const TraceItem& item, JsonLine& line) {
  line.key("action").string(item.site->action);
  const std::vector<ValueType>& types = item.site->arguments;
  if (item.kind == TraceItem::Kind::Trace && types.at(0).kind == ValueType::Kind::Stack) {
    line.key("frames");
    return json_value(types[0], record.words_of(item)[0], item.settings, line);
  }
  const std::optional<std::string> text = item_text(record, item);
  if (!text) return;
  line.key("text").string(*text);
  line.key("args").open('[');
  if (item.kind == TraceItem::Kind::Print) {
    json_object(*item.site->layout, static_cast<const uint8_t*>(record.bytes_of(item)), line);
  } else if (item.kind == TraceItem::Kind::Tracemem) {
    line.string(*text);
  } else {
    const uint64_t* words = record.words_of(item);
    for (size_t i = 0; i < types.size(); ++i) json_value(types[i], words[i], item.settings, line);
  }
  line.close(']');
}

void JsonlPrinter::item(TraceRecord& record, const TraceItem& item) {
  shown_ = true;
  if (item.kind == TraceItem::Kind::Change) return;
  if (item.kind == TraceItem::Kind::Printa) {
    prints_aggregations_ = true;
    return aggregations(record.aggregations_of(item), item.settings);
  }
  count(&Ledger::records);
  line("record", wall_time(record.timestamp), kLongest, [&](JsonLine& line) {
    firing(record, line);
    action(record, item, line);
  });
}

/// If a clause records nothing, DTrace prints a row; here it gets a line without an action.
void JsonlPrinter::end_record(const TraceRecord& record, RowStyle) {
  if (!shown_ && record.has_columns()) {
    count(&Ledger::records);
    line("record", wall_time(record.timestamp), kLongest, [&](JsonLine& line) { firing(record, line); });
  }
  if (prints_aggregations_) close_snapshot();
}

/// Skipped lines leave a gap in seq.
uint64_t JsonlPrinter::skip(const TraceRecord& record) {
  const uint64_t lines = record.items.empty() ? record.has_columns() : record.items.size();
  seq_ += lines;
  return lines;
}

// ---- aggregations ----------------------------------------------------------------------------------------------------

void JsonlPrinter::element(const AggTable& table, const NamedElement& element, JsonLine& line) {
  line.key("start").time(table.start == 0 ? began_ : wall_time(table.start));
  line.key("agg").string(table.desc().name);
  line.key("keys").open('[');
  for (const std::string& key : element.keys) line.string(key);
  line.close(']');
  line.key("func").string(row_of(table.desc().function).name);
  const AggElement read = read_element(table, element.words.data());
  if (read.value)
    line.key("value").number(*read.value);
  else if (read.is_number)
    line.key("value").null();
  if (read.sums) {
    line.key("count").number(read.sums->count);
    line.key("sum").number(read.sums->sum);
    if (read.sums->of_squares) line.key("sumsq").decimal(*read.sums->of_squares);
  }
  if (!read.is_number) {
    line.key("count").number(read.count);
    line.key("bucket").open('[');
    for (const AggElement::Count& one : read.counts) line.number(one.bucket);
    line.close(']');
    line.key("n").open('[');
    for (const AggElement::Count& one : read.counts) line.number(one.count);
    line.close(']');
  }
  if (table.normal > 1) line.key("normal").number(table.normal);
}

void JsonlPrinter::aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) {
  const uint64_t now = wall_clock();
  for (size_t at = 0; at < snapshot.tables.size(); ++at) {
    for (const NamedElement& one : named_elements(snapshot, at, settings, kLongestKeys)) {
      count(&Ledger::elements);
      if (one.is_cut) count(&Ledger::truncated);
      line("agg", now, SIZE_MAX, [&](JsonLine& line) { element(*snapshot.tables[at], one, line); });
    }
  }
}

void JsonlPrinter::counts(const Ledger& ledger, JsonLine& line) {
  for (const LedgerField& field : kLedgerFields) line.key(field.name).number(ledger.*field.count);
}

void JsonlPrinter::close_snapshot() {
  const uint64_t now = wall_clock();
  const Ledger closed = std::exchange(since_, {});
  ++snapshot_;
  line("ledger", now, SIZE_MAX, [&](JsonLine& line) {
    line.key("start").time(snapshot_start_);
    line.key("snapshot").number(snapshot_);
    counts(closed, line);
  });
  snapshot_start_ = now;
}

// ---- what went wrong, and the end --------------------------------------------------------------------------------------

void JsonlPrinter::dropped(const Drop& drop, bool tagged) {
  switch (drop.kind) {
    case Drop::Kind::Principal:
    case Drop::Kind::Malformed: count(&Ledger::drops, drop.count); break;
    case Drop::Kind::Aggregation: count(&Ledger::agg_drops, drop.count); break;
    case Drop::Kind::Dynamic: count(&Ledger::dynvar_drops, drop.count); break;
    case Drop::Kind::Speculation:
    case Drop::Kind::SpeculationBusy:
    case Drop::Kind::SpeculationUnavailable: count(&Ledger::spec_drops, drop.count); break;
    case Drop::Kind::Output: count(&Ledger::output_drops, drop.count); break;
    case Drop::Kind::ErrorInError: count(&Ledger::faults, drop.count); break;
  }
  Printer::dropped(drop, tagged);
}

void JsonlPrinter::faulted(const FaultReport& fault) {
  const uint64_t count_of_all = 1 + fault.more_before;
  count(&Ledger::faults, count_of_all);
  line("error", wall_clock(), kLongest, [&](JsonLine& line) {
    line.key("probe").string(probe_text(*fault.probe));
    line.key("fault").string(fault_words(fault));
    if (fault_has_value(fault.fault)) line.key("value").number(fault.value);
    line.key("action").number(fault.action);
    line.key("count").number(count_of_all);
  });
  Printer::faulted(fault);
}

void JsonlPrinter::end(const RunEnd& end) {
  close_snapshot();
  line("end", wall_clock(), SIZE_MAX, [&](JsonLine& line) {
    line.key("status").number(int64_t{end.status});
    line.key("reason").string(end.reason);
    counts(all_, line);
  });
}

}  // namespace

std::unique_ptr<Printer> make_jsonl_printer(PrintSink& sink) { return std::make_unique<JsonlPrinter>(sink); }
std::unique_ptr<Printer> make_json_printer(PrintSink& sink) { return make_jsonl_printer(sink); }

}  // namespace sonde
