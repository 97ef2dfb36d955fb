// SPDX-License-Identifier: GPL-3.0-or-later
// The buckets of llquantize()
//
// Between factor^m and factor^(m+1), for each m from low to high, buckets begin at factor^m and at each multiple of
// factor^(m+1) / steps (at least 1). Negative values mirror:
//
//   <= -X | ... -4 -2 -1 | under | 1 2 4 ... | >= X        X = factor^(high+1)
//
// With n buckets on a side, the one at "under" has number n + 1. Invariant: step() and distribution() must use the same
// buckets, so both go by each_magnitude(), the only place that knows where a bucket begins.
#include "runtime/agg/functions.h"

#include <vector>

#include "runtime/base/check.h"

namespace sonde {
namespace {

/// One magnitude: its bounds, and the width of its buckets.
struct Magnitude {
  uint64_t low, high, width;
  /// The bucket of this magnitude that contains v, from 0.
  uint64_t bucket(uint64_t v) const { return v / width - low / width; }
  uint64_t buckets() const { return bucket(high - 1) + 1; }
  uint64_t start(uint64_t bucket) const { return bucket == 0 ? low : (low / width + bucket) * width; }
};

struct Shape {
  uint64_t factor;
  int64_t low, high;
  uint64_t steps;
};

Shape shape_of(const AggregationDesc& desc) {
  SONDE_CHECK(desc.params.size() >= 4);
  return {static_cast<uint64_t>(desc.params[0]), desc.params[1], desc.params[2], static_cast<uint64_t>(desc.params[3])};
}

uint64_t power(uint64_t factor, int64_t exponent) {
  uint64_t result = 1;
  while (exponent-- > 0) result *= factor;
  return result;
}

/// Calls visit(magnitude) until it returns false.
template <typename Visit>
void each_magnitude(const Shape& shape, Visit visit) {
  uint64_t low = power(shape.factor, shape.low);
  for (int64_t m = shape.low; m <= shape.high; ++m) {
    uint64_t high = low * shape.factor;
    uint64_t width = high / shape.steps;
    if (!visit(Magnitude{low, high, width == 0 ? 1 : width})) return;
    low = high;
  }
}

/// The number of buckets on one side, without the end bucket.
uint64_t side(const Shape& shape) {
  uint64_t buckets = 0;
  each_magnitude(shape, [&](const Magnitude& m) {
    buckets += m.buckets();
    return true;
  });
  return buckets;
}

/// Distance from the under-range bucket: 0 is that bucket, side + 1 the end bucket.
uint64_t distance_of(const Shape& shape, uint64_t magnitude) {
  if (magnitude < power(shape.factor, shape.low)) return 0;
  uint64_t distance = 1;
  each_magnitude(shape, [&](const Magnitude& m) {
    if (magnitude < m.high) {
      distance += m.bucket(magnitude);
      return false;
    }
    distance += m.buckets();
    return true;
  });
  return distance;
}

uint64_t words(const AggregationDesc& desc) { return 2 * side(shape_of(desc)) + 3; }

void step(const AggregationDesc& desc, int64_t* data, int64_t value, int64_t weight) {
  Shape shape = shape_of(desc);
  uint64_t zero = side(shape) + 1;
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  uint64_t distance = distance_of(shape, magnitude);
  data[value < 0 ? zero - distance : zero + distance] += weight;
}

void merge(const AggregationDesc& desc, int64_t* into, const int64_t* from) { merge_counts(into, from, words(desc)); }

/// Where the buckets of one side begin, with the end bucket.
std::vector<uint64_t> starts(const Shape& shape) {
  std::vector<uint64_t> list;
  each_magnitude(shape, [&](const Magnitude& m) {
    for (uint64_t i = 0; i < m.buckets(); ++i) list.push_back(m.start(i));
    return true;
  });
  list.push_back(power(shape.factor, shape.high + 1));
  return list;
}

AggTotal total(const AggregationDesc& desc, const int64_t* data) {
  std::vector<uint64_t> list = starts(shape_of(desc));
  uint64_t zero = list.size();
  AggTotal total{0, data[zero]};
  for (uint64_t i = 0; i < list.size(); ++i) {
    auto difference = static_cast<long double>(data[zero + 1 + i]) - static_cast<long double>(data[zero - 1 - i]);
    total.value += difference * static_cast<long double>(list[i]);
  }
  return total;
}

Distribution distribution(const AggregationDesc& desc) {
  const Shape shape = shape_of(desc);
  const std::vector<uint64_t> list = starts(shape);
  Distribution made{{}, list.size()};
  for (auto start = list.rbegin(); start != list.rend(); ++start) made.buckets.push_back({*start, true});
  made.buckets.front().label = Bucket::Label::AtMost;
  if (shape.low == 0)
    made.buckets.push_back({0});
  else
    made.buckets.push_back({power(shape.factor, shape.low), false, Bucket::Label::Within});
  for (uint64_t start : list) made.buckets.push_back({start});
  made.buckets.back().label = Bucket::Label::AtLeast;
  return made;
}

}  // namespace

const AggOperations kLlquantize = {words, step, merge, total, nullptr, distribution};

}  // namespace sonde
