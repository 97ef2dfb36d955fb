// SPDX-License-Identifier: GPL-3.0-or-later
// Records exactly as DTrace prints them; -F on a terminal as a tree
//
// The first record that is not quiet prints the header line. How a line ends depends on the current options, how it
// begins on those of the record.
#include <map>
#include <utility>
#include <vector>

#include "runtime/print/flow_tree.h"
#include "runtime/print/printer.h"

namespace sonde {
namespace {

class TextPrinter final : public Printer {
 public:
  using Printer::Printer;

  void start(const RunStart& start) override { tree_ = FlowTree(start.flow); }

  void begin_record(const TraceRecord& record, RowStyle now) override {
    if (!record.begun) return;
    same_stack_ = now.same_stack;
    if (!header_written_ && !record.quiet) sink_.text += now.flowindent ? tree_.header() : row_header(false);
    header_written_ = true;
    if (record.flowindent)
      tree_.begin_row(record, sink_.text);
    else if (!record.quiet)
      format_row_prefix(record.cpu, *record.probe, sink_.text);
  }

  void item(TraceRecord& record, const TraceItem& item) override {
    std::string& out = sink_.text;
    switch (item.kind) {
      case TraceItem::Kind::Trace:
        if (same_stack_ && is_last_stack(record, item)) return say_same_stack(item.settings);
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
    if (record.begun && record.flowindent) tree_.end_row(record, sink_.text);
  }

  void aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) override {
    format_aggregations(snapshot.tables, snapshot.sort, settings, sink_.text);
  }

  void rest() override {
    tree_.finish(sink_.text);
    sink_.text += '\n';
  }

 private:
  /// Whether it is a stack that equals the last one of its thread, which it becomes.
  bool is_last_stack(const TraceRecord& record, const TraceItem& item) {
    const uint64_t word = record.words_of(item)[0];
    if (item.site->arguments.at(0).kind != ValueType::Kind::Stack || word == 0) return false;
    const auto& stack = *reinterpret_cast<const StackValue*>(word);
    if (stack.count == 0) return false;
    std::vector<uint64_t> frames{stack.space};
    frames.insert(frames.end(), stack.pc, stack.pc + stack.count);
    std::vector<uint64_t>& last = last_stacks_[{record.tid, stack.space == 0}];
    return std::exchange(last, std::move(frames)) == last;
  }

  void say_same_stack(const FormatSettings& settings) {
    sink_.text += '\n' + std::string(settings.stack_indent, ' ') + "same stack\n";
  }

  void printa(const AggSnapshot& snapshot, const TraceItem& item) {
    if (item.site->has_format)
      return format_printa(item.site->format, snapshot.tables, snapshot.sort, item.settings, sink_.text);
    sink_.text += '\n';
    aggregations(snapshot, item.settings);
  }

  FlowTree tree_{{}};
  bool header_written_ = false;
  bool same_stack_ = false;
  std::map<std::pair<uint32_t, bool>, std::vector<uint64_t>> last_stacks_;  ///< by thread; the kernel's and the user's
};

}  // namespace

std::unique_ptr<Printer> make_text_printer(PrintSink& sink) { return std::make_unique<TextPrinter>(sink); }

}  // namespace sonde
