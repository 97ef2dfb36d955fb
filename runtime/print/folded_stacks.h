// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks and how often they were seen, for flame graphs
//
// They come from two places: elements of count() and sum() with a stack among their keys, and actions that record a stack, which count 1. One
// is a path from the root: texts among the keys first, then the program's frames, then the kernel's, which it has called.
//
// An aggregation may be printed often. What counts is its last picture since each of its starts, as for all who merge.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/print/printer.h"

namespace sonde {

/// The sum, or the most that there is room for.
int64_t add_counts(int64_t a, int64_t b);

class FoldedStacks {
 public:
  using Path = std::vector<std::string>;  ///< root first; names of no ';' and no newline

  void add(const AggSnapshot& snapshot, SymbolNames* names);
  /// Of an action that records a stack; others are none.
  void add(const TraceRecord& record, const TraceItem& item);
  /// All that were seen once at least, in order.
  std::map<Path, int64_t> counts() const;

 private:
  using Counts = std::map<Path, int64_t>;
  std::map<std::pair<const AggregationDesc*, uint64_t>, Counts> of_aggregations_;  ///< by aggregation and start
  Counts of_records_;
};

/// What FoldedStacks is made of reaches it; each of its printers shows them at the end.
class StackPrinter : public Printer {
 public:
  using Printer::Printer;

  void begin_record(const TraceRecord&, RowStyle) override {}
  void item(TraceRecord& record, const TraceItem& item) override;
  void end_record(const TraceRecord&, RowStyle) override {}
  void aggregations(const AggSnapshot& snapshot, const FormatSettings& settings) override;
  void end(const RunEnd& end) override;

 protected:
  virtual void show(const std::map<FoldedStacks::Path, int64_t>& counts) = 0;

 private:
  FoldedStacks stacks_;
};

}  // namespace sonde
