// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/functions.h"

#include "runtime/base/check.h"

// One bucket below the base, one for each level, one at and above the end of the last level.
namespace sonde {
namespace {

struct Levels {
  int64_t base, step, count;
  int64_t end() const { return base + count * step; }
};

Levels levels_of(const AggregationDesc& desc) {
  SONDE_CHECK(desc.params.size() >= 2);
  int64_t step = desc.params.size() > 2 ? desc.params[2] : 1;
  SONDE_CHECK(step > 0);
  return {desc.params[0], step, (desc.params[1] - desc.params[0]) / step};
}

uint64_t words(const AggregationDesc& desc) { return static_cast<uint64_t>(levels_of(desc).count) + 2; }

void step(const AggregationDesc& desc, int64_t* data, int64_t value, int64_t weight) {
  Levels levels = levels_of(desc);
  int64_t bucket = 0;
  if (value >= levels.end())
    bucket = levels.count + 1;
  else if (value >= levels.base)
    bucket = (value - levels.base) / levels.step + 1;
  data[bucket] += weight;
}

void merge(const AggregationDesc& desc, int64_t* into, const int64_t* from) { merge_counts(into, from, words(desc)); }

/// A bucket counts with its label's value; the one below as base - 1, the one above as limit + 1.
AggTotal total(const AggregationDesc& desc, const int64_t* data) {
  Levels levels = levels_of(desc);
  AggTotal total{0, 0};
  for (int64_t i = 0; i <= levels.count + 1; ++i) {
    int64_t weight = levels.base + (i - 1) * levels.step;
    if (i == 0) weight = levels.base - 1;
    if (i == levels.count + 1) weight = levels.end() + 1;
    total.value += static_cast<long double>(data[i]) * static_cast<long double>(weight);
    if (weight == 0) total.zero = data[i];
  }
  return total;
}

Distribution distribution(const AggregationDesc& desc) {
  Levels levels = levels_of(desc);
  Distribution made{{Bucket::at(levels.base, Bucket::Label::Below)}};
  for (int64_t i = 0; i < levels.count; ++i) made.buckets.push_back(Bucket::at(levels.base + i * levels.step));
  made.buckets.push_back(Bucket::at(levels.end(), Bucket::Label::AtLeast));
  return made;
}

}  // namespace

const AggOperations kLquantize = {words, step, merge, total, nullptr, distribution};

}  // namespace sonde
