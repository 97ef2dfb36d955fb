// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/functions.h"

#include "runtime/base/check.h"

namespace sonde {

const AggFunctionRow& row_of(AggFunction function) {
  for (const AggFunctionRow& row : kAggFunctions)
    if (row.function == function) return row;
  SONDE_CHECK(false);
}

uint64_t element_bytes(const AggregationDesc& desc) {
  uint64_t bytes = 8 + 8 * row_of(desc.function).operations->words(desc);
  for (const ValueType& key : desc.keys) bytes += key.size;
  return bytes;
}

void merge_counts(int64_t* into, const int64_t* from, uint64_t buckets) {
  for (uint64_t i = 0; i < buckets; ++i) into[i] += from[i];
}

int64_t normalized(int64_t value, uint64_t normal) {
  if (normal <= 1) return value;
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  auto quotient = static_cast<int64_t>(magnitude / normal);
  return value < 0 ? -quotient : quotient;
}

}  // namespace sonde
