// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/folded_stacks.h"

#include <algorithm>

#include "runtime/print/json.h"
#include "runtime/print/plain_values.h"

namespace sonde {
namespace {

using Kind = ValueType::Kind;

/// The text as a name in a path.
std::string name_of(std::string_view text) {
  std::string name;
  append_utf8(text, name);
  std::ranges::replace(name, ';', ':');
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return name;
}

void append_stack(const StackValue& stack, SymbolNames* names, FoldedStacks::Path& path) {
  for (const std::string& frame : stack_keys(stack, names)) path.push_back(name_of(frame));
}

FoldedStacks::Path path_of(const std::vector<ValueType>& types, const std::vector<uint64_t>& words,
                           const FormatSettings& settings) {
  FoldedStacks::Path path, kernel;
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i].kind != Kind::Stack) path.push_back(name_of(key_text(types[i], words[i], settings)));
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].kind != Kind::Stack || words[i] == 0) continue;
    const auto& stack = *reinterpret_cast<const StackValue*>(words[i]);
    append_stack(stack, settings.names, stack.space == 0 ? kernel : path);
  }
  path.insert(path.end(), kernel.begin(), kernel.end());
  if (path.empty()) path.emplace_back("[unknown]");
  return path;
}

bool counts_stacks(const AggregationDesc& desc) {
  return (desc.function == AggFunction::Count || desc.function == AggFunction::Sum) &&
         std::ranges::any_of(desc.keys, [](const ValueType& key) { return key.kind == Kind::Stack; });
}

}  // namespace

int64_t add_counts(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

void FoldedStacks::add(const AggSnapshot& snapshot, SymbolNames* names) {
  FormatSettings settings;
  settings.names = names;
  const std::vector<JoinedRow> rows = snapshot.rows();
  for (size_t at = 0; at < snapshot.tables.size(); ++at) {
    const AggTable& table = *snapshot.tables[at];
    if (!counts_stacks(table.desc())) continue;
    Counts counts;
    std::vector<uint64_t> words(table.desc().keys.size());
    for (const JoinedRow& row : rows) {
      if (row.elements[at] == nullptr) continue;
      table.codec().decode(row.key->key(), words.data());
      int64_t& count = counts[path_of(table.desc().keys, words, settings)];
      count = add_counts(count, table.operations().value(row.elements[at]->data()));
    }
    of_aggregations_[{&table.desc(), table.start}] = std::move(counts);
  }
}

void FoldedStacks::add(const TraceRecord& record, const TraceItem& item) {
  if (item.kind != TraceItem::Kind::Trace || item.site->arguments.at(0).kind != Kind::Stack) return;
  Path path;
  if (const auto name = record.execname_text()) path.push_back(name_of(*name));
  const uint64_t word = record.words_of(item)[0];
  if (word != 0) append_stack(*reinterpret_cast<const StackValue*>(word), item.settings.names, path);
  if (path.empty()) path.emplace_back("[unknown]");
  ++of_records_[std::move(path)];
}

std::map<FoldedStacks::Path, int64_t> FoldedStacks::counts() const {
  Counts all = of_records_;
  for (const auto& [aggregation, counts] : of_aggregations_)
    for (const auto& [path, count] : counts) all[path] = add_counts(all[path], count);
  std::erase_if(all, [](const auto& one) { return one.second <= 0; });
  return all;
}

void StackPrinter::item(TraceRecord& record, const TraceItem& item) {
  if (item.kind == TraceItem::Kind::Printa)
    aggregations(record.aggregations_of(item), item.settings);
  else
    stacks_.add(record, item);
}

void StackPrinter::aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) {
  stacks_.add(snapshot, settings.names);
}

void StackPrinter::end(const RunEnd&) {
  const auto counts = stacks_.counts();
  if (counts.empty()) sink_.message("no stacks were counted\n    @[ustack()] = count() does, and ustack() alone");
  show(counts);
}

}  // namespace sonde
