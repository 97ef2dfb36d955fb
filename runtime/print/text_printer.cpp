// SPDX-License-Identifier: GPL-3.0-or-later
// Records exactly as DTrace prints them
//
// The first record that is not quiet prints the header line. How a line ends depends on the current options, how it
// begins on those of the record.
#include "runtime/print/printer.h"

namespace sonde {
namespace {

class TextPrinter final : public Printer {
 public:
  using Printer::Printer;

  void begin_record(const TraceRecord& record, RowStyle now) override {
    if (!record.begun) return;
    if (!header_written_ && !record.quiet) sink_.text += row_header(now.flowindent);
    header_written_ = true;
    if (record.flowindent)
      format_flow_prefix(record.cpu, *record.probe, record.flow, record.indent, sink_.text);
    else if (!record.quiet)
      format_row_prefix(record.cpu, *record.probe, sink_.text);
  }

  void item(TraceRecord& record, const TraceItem& item) override {
    std::string& out = sink_.text;
    switch (item.kind) {
      case TraceItem::Kind::Trace:
        return format_trace(item.site->arguments.at(0), record.words_of(item)[0], item.settings, out);
      case TraceItem::Kind::Printf:
        return format_printf(item.site->format, item.site->arguments, record.words_of(item), item.settings, out);
      case TraceItem::Kind::Tracemem: return format_hex_dump(record.bytes_of(item), item.number, out);
      case TraceItem::Kind::Print:
        return format_print(*item.site->layout, reinterpret_cast<uint64_t>(record.bytes_of(item)), item.number, out);
      case TraceItem::Kind::Printa: return printa(record.aggregations_of(item), item);
      case TraceItem::Kind::System:
      case TraceItem::Kind::Freopen:
      case TraceItem::Kind::Ftruncate:
      case TraceItem::Kind::Change: return;
    }
  }

  void end_record(const TraceRecord& record, RowStyle now) override {
    if (record.begun && (now.flowindent || !now.quiet)) sink_.text += '\n';
  }

  void aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) override {
    format_aggregations(snapshot.tables, snapshot.sort, settings, sink_.text);
  }

  void rest() override { sink_.text += '\n'; }

 private:
  void printa(const AggSnapshot& snapshot, const TraceItem& item) {
    if (item.site->has_format)
      return format_printa(item.site->format, snapshot.tables, snapshot.sort, item.settings, sink_.text);
    sink_.text += '\n';
    aggregations(snapshot, item.settings);
  }

  bool header_written_ = false;
};

}  // namespace

std::unique_ptr<Printer> make_text_printer(PrintSink& sink) { return std::make_unique<TextPrinter>(sink); }

}  // namespace sonde
