// SPDX-License-Identifier: GPL-3.0-or-later
// What a clause has traced: values, not text
//
//   body --> action --> TraceRecord --------------------------> Printer --> text, JSON, ...
//                            \--> speculation, bufpolicy --/
//
// A body's strings, stacks and structs may change before its clause ends, and are gone after it. So a record has
// copies: `data` has the words of each item and, behind them, what they point to. Pointers are offsets, because `data`
// may move until the clause ends.
//
// Stacks and symbols are addresses in a process; they are resolved when they are printed.
//
// printa() records a copy of its aggregations; in a clause that speculates, they are read when it is committed. An
// action's other effect is an item, too: the consumer carries it out after the items before it were printed. A Change
// is the effect of an action on aggregations and options, in a clause that speculates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/agg/snapshot.h"
#include "runtime/base/word_buffer.h"
#include "runtime/format/format.h"

namespace sonde {

/// The values of one action.
struct TraceItem {
  enum class Kind : uint8_t {
    Trace,     ///< trace() and its kin: one value
    Printf,    ///< the values of a format
    Tracemem,  ///< bytes
    Print,     ///< an object, and the address to show for it
    Printa,    ///< aggregations
    // Things to do at this place in the output.
    System,     ///< the values of a format: a command
    Freopen,    ///< the same: a path
    Ftruncate,  ///< nothing
    Change,     ///< a function
  };
  Kind kind;
  size_t first;             ///< offset of its values in the record's data; for Printa and Change: an index
  const ActionSite* site;   ///< for values: their types and the format; else null
  uint64_t number;          ///< for Tracemem: bytes; for Print: the address
  FormatSettings settings;  ///< those of the time of recording; setopt() may change them

  bool is_done() const { return kind >= Kind::System; }
};

/// The aggregations of a printa(): copied when it ran, or read when it is printed.
struct TracedAggregations {
  AggSnapshot taken;
  std::function<AggSnapshot()> late;
};

/// Printed when its clause has ended without a fault, or when its speculation is committed. Objects are reused from
/// clause to clause, to avoid allocations.
class TraceRecord {
 public:
  // The firing.
  const ProbeInfo* probe = nullptr;
  uint32_t cpu = 0, pid = 0, tid = 0;
  uint64_t timestamp = 0;            ///< CLOCK_MONOTONIC
  uint64_t firing = 0;               ///< number of the firing: equal for all its clauses
  std::optional<uint64_t> execname;  ///< offset of the name in the record's data, if it was captured
  // How it is shown: the options at the time it began.
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
  std::optional<std::string_view> execname_text() const;
  /// The space that it would take in DTrace's buffer: a header of two words, and the values, not their text.
  uint64_t bytes() const { return 16 + data_bytes_; }
  void clear();

  /// Adds the space that a value takes in a buffer; a string counts with its maximal size.
  void count_data(const ValueType& type, uint64_t word, uint32_t strsize);
  void count_data(uint64_t bytes) { data_bytes_ += bytes; }

  /// Copies `words`, whose types are those of the site, and what they point to.
  void add_values(TraceItem::Kind kind, const ActionSite& site, const uint64_t* words, const FormatSettings& settings);
  void add_bytes(const ActionSite& site, const void* bytes, uint64_t size, const FormatSettings& settings);
  void add_object(const ActionSite& site, const void* object, uint64_t address, const FormatSettings& settings);
  void add_aggregations(const ActionSite& site, TracedAggregations aggregations, const FormatSettings& settings);
  void add_change(std::function<void()> change);
  void set_execname(std::string_view name);

  /// The words of an item with values. They point into this record, which must not change; the next call overwrites
  /// them.
  const uint64_t* words_of(const TraceItem& item) const;
  /// The bytes of Tracemem and Print.
  const void* bytes_of(const TraceItem& item) const { return data_.data() + item.first; }
  /// For Printa: the aggregations to show.
  const AggSnapshot& aggregations_of(const TraceItem& item);
  void do_change(const TraceItem& item) const { changes_[item.first](); }

 private:
  void add(TraceItem::Kind kind, const ActionSite& site, uint64_t number, const FormatSettings& settings);
  uint64_t copy(const void* from, size_t size);
  uint64_t copy(const ValueType& type, uint64_t word, uint32_t strsize);

  WordBuffer data_;
  std::vector<TracedAggregations> aggregations_;
  std::vector<std::function<void()>> changes_;
  mutable std::vector<uint64_t> words_;
  uint64_t data_bytes_ = 0;
};

}  // namespace sonde
