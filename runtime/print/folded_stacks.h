// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks with their counts, for flame graphs
//
// They come from two places: elements of count() and sum() with a stack among their keys, and actions that record a
// stack, which count 1. A path begins at the root: first texts among the keys, then the program's frames, then the
// kernel's, which those have called.
//
// An aggregation may be printed several times. As in every merge, the latest snapshot counts for each of its starts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/print/printer.h"

namespace sonde {

/// The sum, saturated.
int64_t add_counts(int64_t a, int64_t b);

class FoldedStacks {
 public:
  using Path = std::vector<std::string>;  ///< root first; names of no ';' and no newline

  void add(const AggSnapshot& snapshot, SymbolNames* names);
  /// Adds an item of an action that records a stack; ignores others.
  void add(const TraceRecord& record, const TraceItem& item);
  /// All paths with a count, sorted.
  std::map<Path, int64_t> counts() const;

 private:
  using Counts = std::map<Path, int64_t>;
  std::map<std::pair<const AggregationDesc*, uint64_t>, Counts> of_aggregations_;  ///< by aggregation and start
  Counts of_records_;
};

/// Base of the printers that show FoldedStacks at the end.
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
