// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/functions.h"

// Words: the greatest value, and whether there was one.
namespace sonde {
namespace {

uint64_t words(const AggregationDesc&) { return 2; }
void step(const AggregationDesc&, int64_t* data, int64_t value, int64_t) {
  if (data[1] != 0 && !(value > data[0])) return;
  data[0] = value;
  data[1] = 1;
}
void merge(const AggregationDesc& desc, int64_t* into, const int64_t* from) {
  if (from[1] != 0) step(desc, into, from[0], 1);
}
int64_t value(const int64_t* data) { return data[1] != 0 ? data[0] : INT64_MIN; }
AggTotal total(const AggregationDesc&, const int64_t* data) { return {static_cast<long double>(value(data)), 0}; }
bool has_value(const int64_t* data) { return data[1] != 0; }

}  // namespace

const AggOperations kMax = {words, step, merge, total, value, nullptr, nullptr, has_value};

}  // namespace sonde
