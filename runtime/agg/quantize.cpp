// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/functions.h"

#include <bit>

// One bucket for zero, 63 for the powers of two on either side. A bucket is named by its value that is closest to zero:
// 4 counts 4 to 7, -4 counts -7 to -4.
namespace sonde {
namespace {

constexpr uint64_t kBuckets = 127;
constexpr int kZero = 63;

int bucket_of(int64_t value) {
  if (value == 0) return kZero;
  if (value > 0) return kZero + static_cast<int>(std::bit_width(static_cast<uint64_t>(value)));
  int bucket = kZero - static_cast<int>(std::bit_width(0 - static_cast<uint64_t>(value)));
  return bucket < 0 ? 0 : bucket;
}

int64_t value_of(int bucket) {
  if (bucket == kZero) return 0;
  return bucket > kZero ? int64_t{1} << (bucket - kZero - 1) : -(int64_t{1} << (kZero - bucket - 1));
}

uint64_t words(const AggregationDesc&) { return kBuckets; }
void step(const AggregationDesc&, int64_t* data, int64_t value, int64_t weight) { data[bucket_of(value)] += weight; }
void merge(const AggregationDesc&, int64_t* into, const int64_t* from) { merge_counts(into, from, kBuckets); }

AggTotal total(const AggregationDesc&, const int64_t* data) {
  AggTotal total{0, data[kZero]};
  for (int i = 0; i < static_cast<int>(kBuckets); ++i)
    total.value += static_cast<long double>(data[i]) * static_cast<long double>(value_of(i));
  return total;
}

Distribution distribution(const AggregationDesc&) {
  Distribution made{{}, kZero - 1};
  for (int i = 0; i < static_cast<int>(kBuckets); ++i) made.buckets.push_back(Bucket::at(value_of(i)));
  return made;
}

}  // namespace

const AggOperations kQuantize = {words, step, merge, total, nullptr, distribution};

}  // namespace sonde
