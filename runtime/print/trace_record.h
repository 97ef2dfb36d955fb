// SPDX-License-Identifier: GPL-3.0-or-later
// What a clause has recorded: values, not text
//
//   body --> action --> TraceRecord --------------------------> Printer --> text, JSON, ...
//                            \--> speculation, bufpolicy --/
//
// A body's strings, stacks and structs live no longer than its clause, and may change before it ends. So a record has copies: `data` holds
// the words of each item, and behind them what they point to, as offsets, for `data` may move until the clause ends.
//
// Stacks and symbols are addresses of a process; they get their names when they are printed.
//
// printa() records a copy of its aggregations; where the clause speculates, they are read when it is committed. What an action does
// besides recording is an item, too: the consumer does it when what was recorded before it is out. A Change is what an action
// does to aggregations and options in a clause that speculates.
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

/// What one action has recorded.
struct TraceItem {
  enum class Kind : uint8_t {
    Trace,     ///< trace() and its kin: one value
    Printf,    ///< the values of a format
    Tracemem,  ///< bytes
    Print,     ///< an object, and the address that it is said to have
    Printa,    ///< aggregations
    // What is to be done, in this place of the output.
    System,     ///< the values of a format: a command
    Freopen,    ///< the same: a path
    Ftruncate,  ///< nothing
    Change,     ///< a function
  };
  Kind kind;
  size_t first;             ///< where its values begin in the record's data; of Printa and Change: which one it is
  const ActionSite* site;   ///< of values: their types, and the format; else null
  uint64_t number;          ///< of Tracemem: bytes; of Print: the address
  FormatSettings settings;  ///< as they were; setopt() may change them

  bool is_done() const { return kind >= Kind::System; }
};

/// The aggregations of a printa(): taken when it ran, or to be taken when it is printed.
struct TracedAggregations {
  AggSnapshot taken;
  std::function<AggSnapshot()> late;
};

/// It is printed when its clause has ended without a fault, or when its speculation is committed. Reused from clause to clause, so
/// that nothing is allocated where nothing is kept.
class TraceRecord {
 public:
  // The firing.
  const ProbeInfo* probe = nullptr;
  uint32_t cpu = 0, pid = 0, tid = 0;
  uint64_t timestamp = 0;            ///< CLOCK_MONOTONIC
  uint64_t firing = 0;               ///< its number: the same for all that clauses record of it
  std::optional<uint64_t> execname;  ///< where the name begins in the record's data, if it was captured
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
  std::optional<std::string_view> execname_text() const;
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
  void add_change(std::function<void()> change);
  void set_execname(std::string_view name);

  /// The words of a kind with values. What they point to lies in this record, which must not change; the next call overwrites them.
  const uint64_t* words_of(const TraceItem& item) const;
  /// The bytes of Tracemem and Print.
  const void* bytes_of(const TraceItem& item) const { return data_.data() + item.first; }
  /// Of Printa: what it shows, from now on.
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
