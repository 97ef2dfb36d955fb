// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/snapshot.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sonde {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

/// The only element of an aggregation, with these values.
class Values {
 public:
  Values(AggFunction function, std::vector<int64_t> params, const std::vector<int64_t>& values)
      : desc_{"a", function, std::move(params), {}}, table_(desc_, 256, budget_) {
    for (const int64_t value : values) table_.add(nullptr, value, 1);
  }
  AggElement read() const { return read_element(table_, table_.entries().at(0)->data()); }
  AggTable& table() { return table_; }
  MemoryBudget& budget() { return budget_; }

 private:
  AggregationDesc desc_;
  MemoryBudget budget_{1 << 20};
  AggTable table_;
};

std::string buckets(const AggElement& element) {
  std::string text;
  for (const AggElement::Count& one : element.counts)
    text += to_string(one.bucket) + "=" + std::to_string(one.count) + " ";
  return text;
}

TEST(AggSnapshot, WhatIsShownAndWhatItIsMadeOf) {
  const AggElement sum = Values(AggFunction::Sum, {}, {5, -7}).read();
  EXPECT_EQ(sum.value, -2);
  EXPECT_FALSE(sum.sums);
  const AggElement mean = Values(AggFunction::Avg, {}, {5, 6}).read();
  EXPECT_EQ(mean.value, 5);
  EXPECT_EQ(mean.sums->count, 2);
  EXPECT_EQ(to_string(mean.sums->sum), "11");
  EXPECT_FALSE(mean.sums->of_squares);
  const AggElement wide = Values(AggFunction::Stddev, {}, {kLeast, kLeast}).read();
  EXPECT_EQ(to_string(wide.sums->sum), "-18446744073709551616");
  EXPECT_EQ(to_string(*wide.sums->of_squares), "170141183460469231731687303715884105728");
}

TEST(AggSnapshot, BucketsAreNamedAsTheirRows) {
  EXPECT_EQ(buckets(Values(AggFunction::Quantize, {}, {5, 7, 0, -100, kLeast}).read()),
            "-4611686018427387904=1 -64=1 0=1 4=2 ");
  const AggElement linear = Values(AggFunction::Lquantize, {10, 40, 10}, {9, 10, 19, 40, 99}).read();
  EXPECT_EQ(buckets(linear), "0=1 10=2 40=2 ");
  EXPECT_EQ(linear.count, 5);
  EXPECT_EQ(buckets(Values(AggFunction::Lquantize, {-5, -4, 1}, {-9, -5}).read()), "-6=1 -5=1 ");
  EXPECT_EQ(buckets(Values(AggFunction::Llquantize, {10, 1, 2, 10}, {3, -3, 10, 1000, -5000}).read()),
            "-1000=1 0=2 10=1 1000=1 ");
}

TEST(AggSnapshot, ACopyStaysAsItWas) {
  Values values(AggFunction::Sum, {}, {1});
  values.table().normal = 3;
  values.table().start = 77;
  AggSnapshot snapshot;
  snapshot.add_copy(values.table(), values.budget());
  values.table().add(nullptr, 5, 1);
  ASSERT_EQ(snapshot.rows().size(), 1u);
  EXPECT_EQ(read_element(*snapshot.tables[0], snapshot.rows()[0].elements[0]->data()).value, 1);
  EXPECT_EQ(snapshot.tables[0]->normal, 3u);
  EXPECT_EQ(snapshot.tables[0]->start, 77u);
}

}  // namespace
}  // namespace sonde
