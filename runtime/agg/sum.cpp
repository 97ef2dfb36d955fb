// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/functions.h"

namespace sonde {
namespace {

int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

uint64_t words(const AggregationDesc&) { return 1; }
void step(const AggregationDesc&, int64_t* data, int64_t value, int64_t) { data[0] = add(data[0], value); }
void merge(const AggregationDesc&, int64_t* into, const int64_t* from) { into[0] = add(into[0], from[0]); }
AggTotal total(const AggregationDesc&, const int64_t* data) { return {static_cast<long double>(data[0]), 0}; }
int64_t value(const int64_t* data) { return data[0]; }

}  // namespace

const AggOperations kSum = {words, step, merge, total, value, nullptr};

}  // namespace sonde
