// SPDX-License-Identifier: GPL-3.0-or-later
// One table of comma-separated values (RFC 4180), so that a spreadsheet or a data frame can read a run
//
// An element of an aggregation is a row; a distribution has a row per bucket; an action's values are a row. Each kind
// of row leaves the other kind's columns empty: a row with `func` is of an aggregation, one with `probe` of an action.
// A field with bytes that are not UTF-8 shows them as \xHH, and the row has a 1 in the column esc.
#include <algorithm>

#include "runtime/print/json.h"
#include "runtime/print/plain_values.h"
#include "runtime/print/printer.h"
#include "runtime/print/run_identity.h"

namespace sonde {
namespace {

class CsvPrinter final : public Printer {
 public:
  using Printer::Printer;

  void start(const RunStart& start) override {
    host_ = start.host;
    for (const AggregationDesc& desc : *start.aggregations) keys_ = std::max(keys_, desc.keys.size());
    file_begins();
  }

  void file_begins() override {
    sink_.text += "host,run,ts,agg";
    for (size_t i = 0; i < keys_; ++i) sink_.text += ",key" + std::to_string(i);
    sink_.text += ",func,value,count,sum,sumsq,bucket,n,normal,firing,probe,cpu,pid,tid,execname,action,text,esc\n";
  }

  void begin_record(const TraceRecord&, RowStyle) override { shown_ = false; }

  void item(TraceRecord& record, const TraceItem& item) override {
    shown_ = true;
    if (item.kind == TraceItem::Kind::Change) return;
    if (item.kind == TraceItem::Kind::Printa) return aggregations(record.aggregations_of(item), item.settings);
    recorded(record, item.site->action, item_text(record, item).value_or(""));
  }

  void end_record(const TraceRecord& record, RowStyle) override {
    if (!shown_ && record.has_columns()) recorded(record, "", "");
  }

  void aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) override {
    const uint64_t now = wall_clock();
    for (size_t at = 0; at < snapshot.tables.size(); ++at)
      for (const NamedElement& one : named_elements(snapshot, at, settings)) element(*snapshot.tables[at], one, now);
  }

 private:
  void field(std::string_view text) {
    std::string readable;
    escaped_ |= append_utf8(text, readable);
    const bool quoted = readable.find_first_of(",\"\r\n") != readable.npos;
    if (quoted) sink_.text += '"';
    for (const char c : readable) sink_.text.append(c == '"' ? 2 : 1, c);
    if (quoted) sink_.text += '"';
    sink_.text += ',';
  }
  void field(uint64_t number) { field(std::to_string(number)); }
  void empty(size_t fields) { sink_.text.append(fields, ','); }

  void begin(uint64_t time) {
    escaped_ = false;
    field(host_);
    field(run_);
    field(time);
  }
  void finish() { sink_.text += escaped_ ? "1\n" : "\n"; }

  void recorded(const TraceRecord& record, std::string_view action, const std::string& text) {
    begin(record.timestamp + static_cast<uint64_t>(sink_.wall_offset));
    empty(1 + keys_ + 8);
    field(record.firing);
    field(probe_text(*record.probe));
    field(record.cpu);
    field(record.pid);
    field(record.tid);
    field(record.execname_text().value_or(""));
    field(action);
    field(text);
    finish();
  }

  void element(const AggTable& table, const NamedElement& named, uint64_t now) {
    const AggElement read = read_element(table, named.words.data());
    if (read.is_number) return row(table, named, now, read, nullptr);
    for (const AggElement::Count& one : read.counts) row(table, named, now, read, &one);
  }

  void row(const AggTable& table, const NamedElement& named, uint64_t now, const AggElement& element,
           const AggElement::Count* one) {
    begin(now);
    field(table.desc().name);
    for (const std::string& key : named.keys) field(key);
    empty(keys_ - named.keys.size());
    field(row_of(table.desc().function).name);
    field(element.value ? std::to_string(*element.value) : "");
    field(element.sums ? std::to_string(element.sums->count) : one != nullptr ? std::to_string(element.count) : "");
    field(element.sums ? to_string(element.sums->sum) : "");
    field(element.sums && element.sums->of_squares ? to_string(*element.sums->of_squares) : "");
    field(one != nullptr ? to_string(one->bucket) : "");
    field(one != nullptr ? std::to_string(one->count) : "");
    field(table.normal > 1 ? std::to_string(table.normal) : "");
    empty(8);
    finish();
  }

  const std::string run_ = random_run_id();
  std::string host_;
  size_t keys_ = 0;  ///< number of key columns
  bool shown_ = false;
  bool escaped_ = false;  ///< the row has an escaped byte
};

}  // namespace

std::unique_ptr<Printer> make_csv_printer(PrintSink& sink) { return std::make_unique<CsvPrinter>(sink); }

}  // namespace sonde
