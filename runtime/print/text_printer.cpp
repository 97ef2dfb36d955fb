// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/text_printer.h"

namespace sonde {
namespace {

void print_columns(const TraceRecord& record, std::string& out) {
  if (record.flowindent)
    format_flow_prefix(record.cpu, *record.probe, record.flow, record.indent, out);
  else if (!record.quiet)
    format_row_prefix(record.cpu, *record.probe, out);
}

void print_aggregations(const TraceRecord& record, const TraceItem& item, std::string& out) {
  SortRules rules;
  const std::vector<AggTable*> tables = record.aggregations_of(item).tables(rules);
  if (item.site->has_format) return format_printa(item.site->format, tables, rules, item.settings, out);
  out += '\n';
  format_aggregations(tables, rules, item.settings, out);
}

void print_item(const TraceRecord& record, const TraceItem& item, std::string& out) {
  switch (item.kind) {
    case TraceItem::Kind::Trace:
      return format_trace(item.site->arguments.at(0), record.words_of(item)[0], item.settings, out);
    case TraceItem::Kind::Printf:
      return format_printf(item.site->format, item.site->arguments, record.words_of(item), item.settings, out);
    case TraceItem::Kind::Tracemem: return format_hex_dump(record.bytes_of(item), item.number, out);
    case TraceItem::Kind::Print:
      return format_print(*item.site->layout, reinterpret_cast<uint64_t>(record.bytes_of(item)), item.number, out);
    case TraceItem::Kind::Printa: return print_aggregations(record, item, out);
    case TraceItem::Kind::Effect: return record.take_effect(item, out);
  }
}

}  // namespace

void TextPrinter::record(const TraceRecord& record, bool quiet, bool flowindent, std::string& out) {
  if (record.begun && !header_written_) {
    if (!record.quiet) out += row_header(flowindent);
    header_written_ = true;
  }
  if (record.begun) print_columns(record, out);
  for (const TraceItem& item : record.items) print_item(record, item, out);
  if (record.begun && (flowindent || !quiet)) out += '\n';
}

}  // namespace sonde
