// SPDX-License-Identifier: GPL-3.0-or-later
// Aggregations as a printer reads them: typed keys, and numbers that were neither normalized nor laid out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/agg/table.h"

namespace sonde {

/// Aggregations at one moment: copies, or the tables themselves, which must not change while it is read.
struct AggSnapshot {
  std::vector<AggTable*> tables;
  std::vector<std::unique_ptr<AggTable>> copies;  ///< those of `tables` that are its own
  SortRules sort;

  void add(std::unique_ptr<AggTable> table);
  void add_copy(const AggTable& table, MemoryBudget& budget);
  /// By keys, in the order that was asked for.
  std::vector<JoinedRow> rows() const { return join(tables, sort); }
};

/// One element of an aggregation.
struct AggElement {
  struct Count {
    AggWide bucket;  ///< the name of its row
    int64_t count;
  };
  std::optional<int64_t> value;  ///< of a number: what is shown, before normalize()
  std::optional<AggSums> sums;   ///< what it was made of, where it cannot be merged with others without
  std::vector<Count> counts;     ///< of a distribution: its buckets that are not empty
  int64_t count = 0;             ///< all of them
};

/// `data`: the words of an element of `table`.
AggElement read_element(const AggTable& table, const int64_t* data);

/// In decimal.
std::string to_string(AggWide number);
std::string to_string(AggUnsignedWide number);

}  // namespace sonde
