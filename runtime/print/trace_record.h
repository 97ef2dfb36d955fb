// SPDX-License-Identifier: GPL-3.0-or-later
// What a clause has recorded: values, not text
//
//   body --> action --> TraceRecord --------------------------> Printer --> text
//                            \--> speculation, bufpolicy --/
//
// A body's strings, stacks and structs live no longer than its clause, and may change before it ends. So a record has copies: `data` holds
// the words of each item, and behind them what they point to, as offsets, for `data` may move until the clause ends.
//
// printa() records a copy of its aggregations; where the clause speculates, they are read when it is committed. What an action does
// besides recording (system(), freopen()) is an item, too: it happens when what was recorded before it is out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/format/format.h"

namespace sonde {

/// What one action has recorded.
struct TraceItem {
  enum class Kind : uint8_t {
    Trace,     ///< trace() and its kin: one value
    Printf,    ///< the values of a format
    Tracemem,  ///< bytes
    Print,     ///< an object, and the address that it is said to have
    Printa,    ///< aggregations
    Effect,    ///< something to do
  };
  Kind kind;
  size_t first;             ///< where its values begin in the record's data; of Printa and Effect: which one it is
  const ActionSite* site;   ///< of values: their types, and the format; else null
  uint64_t number;          ///< of Tracemem: bytes; of Print: the address
  FormatSettings settings;  ///< as they were; setopt() may change them
};

/// What printa() shows.
struct TracedAggregations {
  std::vector<std::unique_ptr<AggTable>> copies;
  SortRules sort;
  std::function<void(std::vector<AggTable*>& tables, SortRules& sort)>
      late;  ///< instead: reads them when it is printed

  std::vector<AggTable*> tables(SortRules& rules) const;
};

/// It is printed when its clause has ended without a fault, or when its speculation is committed. Reused from clause to clause, so
/// that nothing is allocated where nothing is kept.
class TraceRecord {
 public:
  // The firing.
  const ProbeInfo* probe = nullptr;
  uint32_t cpu = 0;
  // How it is shown: by the options as they were when it began.
  bool begun = false;
  bool quiet = false;
  bool flowindent = false;
  Flow flow = Flow::None;  ///< with flowindent
  int indent = 0;          ///< columns, with flowindent
  std::vector<TraceItem> items;
  std::optional<int> exit_status;

  bool has_columns() const { return begun && (flowindent || !quiet); }
  bool empty() const { return !begun && items.empty(); }
  bool prints_nothing() const { return items.empty() && !has_columns(); }
  /// What it takes of a buffer, as a record of DTrace: a header of two words, and the values, not their text.
  uint64_t bytes() const { return 16 + data_bytes_; }
  void clear();

  /// Counts what a value takes of a buffer: a string all that it may have.
  void count_data(const ValueType& type, uint64_t word, uint32_t strsize);
  void count_data(uint64_t bytes) { data_bytes_ += bytes; }

  /// Copies `words`, whose types are the site's, with what they point to.
  void add_values(TraceItem::Kind kind, const ActionSite& site, const uint64_t* words, const FormatSettings& settings);
  void add_bytes(const ActionSite& site, const void* bytes, uint64_t size, const FormatSettings& settings);
  void add_object(const ActionSite& site, const void* object, uint64_t address, const FormatSettings& settings);
  void add_aggregations(const ActionSite& site, TracedAggregations aggregations, const FormatSettings& settings);
  void add_effect(std::function<void(std::string& out)> effect);

  /// The words of Trace and Printf. What they point to lies in this record, which must not change; the next call overwrites them.
  const uint64_t* words_of(const TraceItem& item) const;
  /// The bytes of Tracemem and Print.
  const void* bytes_of(const TraceItem& item) const { return data_.data() + item.first; }
  const TracedAggregations& aggregations_of(const TraceItem& item) const { return aggregations_[item.first]; }
  /// `out`: what is printed and not written yet; the effect may print.
  void take_effect(const TraceItem& item, std::string& out) const { effects_[item.first](out); }

 private:
  void add(TraceItem::Kind kind, const ActionSite& site, uint64_t number, const FormatSettings& settings);
  uint64_t copy(const void* from, size_t size);
  uint64_t copy(const ValueType& type, uint64_t word, uint32_t strsize);

  std::vector<uint64_t> data_;
  std::vector<TracedAggregations> aggregations_;
  std::vector<std::function<void(std::string& out)>> effects_;
  mutable std::vector<uint64_t> words_;
  uint64_t data_bytes_ = 0;
};

}  // namespace sonde
