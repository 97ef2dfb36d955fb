// SPDX-License-Identifier: GPL-3.0-or-later
// Aggregations as a printer reads them: typed keys, and numbers that are neither normalized nor formatted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/agg/table.h"

namespace sonde {

/// Aggregations at one moment: copies, or the tables themselves, which must not change while the snapshot is used.
struct AggSnapshot {
  std::vector<AggTable*> tables;
  std::vector<std::unique_ptr<AggTable>> copies;  ///< the elements of `tables` that the snapshot owns
  SortRules sort;

  void add(std::unique_ptr<AggTable> table);
  void add_copy(const AggTable& table, MemoryBudget& budget);
  /// Joined by their keys, in the requested order.
  std::vector<JoinedRow> rows() const { return join(tables, sort); }
};

/// One element of an aggregation.
struct AggElement {
  struct Count {
    AggWide bucket;  ///< identifies its row
    int64_t count;
  };
  bool is_number = false;        ///< the result is a number, not a distribution
  std::optional<int64_t> value;  ///< that number, before normalize(); none: nothing was aggregated since clear()
  std::optional<AggSums> sums;   ///< the sums behind the value, if elements cannot be merged without them
  std::vector<Count> counts;     ///< if it is a distribution: its buckets that are not empty
  int64_t count = 0;             ///< total of the counts
};

/// `data`: the words of an element of `table`.
AggElement read_element(const AggTable& table, const int64_t* data);

/// In decimal.
std::string to_string(AggWide number);
std::string to_string(AggUnsignedWide number);

}  // namespace sonde
