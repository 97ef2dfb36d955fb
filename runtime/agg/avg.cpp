// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/functions.h"

// Words: the number of values, their sum.
namespace sonde {
namespace {

int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

uint64_t words(const AggregationDesc&) { return 2; }
void step(const AggregationDesc&, int64_t* data, int64_t value, int64_t) {
  ++data[0];
  data[1] = add(data[1], value);
}
void merge(const AggregationDesc&, int64_t* into, const int64_t* from) {
  into[0] += from[0];
  into[1] = add(into[1], from[1]);
}
int64_t value(const int64_t* data) { return data[0] == 0 ? 0 : data[1] / data[0]; }
AggTotal total(const AggregationDesc&, const int64_t* data) { return {static_cast<long double>(value(data)), 0}; }

AggSums sums(const int64_t* data) { return {data[0], data[1], std::nullopt}; }
bool has_value(const int64_t* data) { return data[0] != 0; }

}  // namespace

const AggOperations kAvg = {words, step, merge, total, value, nullptr, sums, has_value};

}  // namespace sonde
