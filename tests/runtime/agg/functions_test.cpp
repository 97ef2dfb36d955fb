// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/functions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/format/format.h"

namespace sonde {
namespace {

/// One element of an aggregation.
struct Element {
  Element(AggFunction function, std::vector<int64_t> params) : desc{"", function, std::move(params), {}} {
    data.resize(operations().words(desc));
  }
  const AggOperations& operations() const { return *row_of(desc.function).operations; }
  Element& add(int64_t value, int64_t weight = 1) {
    operations().step(desc, data.data(), value, weight);
    return *this;
  }
  int64_t value() const { return operations().value(data.data()); }
  std::string printed(uint64_t normal = 1) const {
    std::string text;
    format_distribution(operations().distribution(desc), data.data(), normal, text);
    return text;
  }
  /// The value column of the rows that are printed.
  std::string labels() const {
    std::string text = printed(), result;
    size_t at = text.find('\n', 1) + 1;
    while (at < text.size()) {
      std::string label = text.substr(at, text.find(" |", at) - at);
      result += (result.empty() ? "" : " ") + label.substr(label.find_first_not_of(' '));
      at = text.find('\n', at) + 1;
    }
    return result;
  }
  AggregationDesc desc;
  std::vector<int64_t> data;
};

const std::string kHeader = "\n           value  ------------- Distribution ------------- count    \n";
const std::string kBlank(40, ' ');
std::string bar(int ats) {
  return std::string(static_cast<size_t>(ats), '@') + std::string(static_cast<size_t>(40 - ats), ' ');
}

TEST(AggFunctions, EveryFunctionHasARow) {
  for (const AggFunctionRow& row : kAggFunctions) EXPECT_EQ(&row_of(row.function), &row);
  EXPECT_EQ(find_aggregating_function("quantize")->function, AggFunction::Quantize);
  EXPECT_EQ(find_aggregating_function("median"), nullptr);
}

TEST(AggFunctions, Numbers) {
  EXPECT_EQ(Element(AggFunction::Count, {}).add(7).add(8).value(), 2);
  EXPECT_EQ(Element(AggFunction::Sum, {}).add(7).add(-9).value(), -2);
  EXPECT_EQ(Element(AggFunction::Avg, {}).add(-7).add(-8).value(), -7);
  EXPECT_EQ(Element(AggFunction::Avg, {}).value(), 0);
  EXPECT_EQ(Element(AggFunction::Min, {}).add(7).add(9).value(), 7);
  EXPECT_EQ(Element(AggFunction::Min, {}).add(INT64_MAX).add(-1).value(), -1);
  EXPECT_EQ(Element(AggFunction::Max, {}).add(-7).add(-9).value(), -7);
  EXPECT_EQ(Element(AggFunction::Stddev, {}).add(2).add(4).add(4).add(4).add(5).add(5).add(7).add(9).value(), 2);
  EXPECT_EQ(Element(AggFunction::Stddev, {}).add(-2000).add(2000).value(), 2000);
  EXPECT_EQ(Element(AggFunction::Stddev, {}).add(INT64_MAX).add(INT64_MIN).value(), INT64_MAX);
}

TEST(AggFunctions, MergingIsAddingTheOthersValues) {
  for (const AggFunctionRow& row : kAggFunctions) {
    std::vector<int64_t> params;
    if (row.function == AggFunction::Lquantize) params = {0, 100, 10};
    if (row.function == AggFunction::Llquantize) params = {10, 0, 2, 10};
    Element a(row.function, params), b(row.function, params), both(row.function, params);
    for (int64_t v : {3, -4, 70}) a.add(v), both.add(v);
    for (int64_t v : {5, -60}) b.add(v), both.add(v);
    row.operations->merge(a.desc, a.data.data(), b.data.data());
    EXPECT_EQ(a.data, both.data) << row.name;
  }
}

TEST(AggFunctions, NormalIsUnsignedAndGoesTowardZero) {
  EXPECT_EQ(normalized(7, 2), 3);
  EXPECT_EQ(normalized(-7, 2), -3);
  EXPECT_EQ(normalized(-7, 1), -7);
  EXPECT_EQ(normalized(INT64_MIN, UINT64_MAX), 0);
}

TEST(Quantize, BucketsOfPowersOfTwo) {
  Element e(AggFunction::Quantize, {});
  e.add(-3).add(0).add(0).add(1);
  EXPECT_EQ(e.printed(), kHeader + "              -4 |" + bar(0) + " 0        \n" + "              -2 |" + bar(10) +
                             " 1        \n" + "              -1 |" + bar(0) + " 0        \n" + "               0 |" +
                             bar(20) + " 2        \n" + "               1 |" + bar(10) + " 1        \n" +
                             "               2 |" + bar(0) + " 0        \n");
}

TEST(Quantize, Ends) {
  EXPECT_EQ(Element(AggFunction::Quantize, {}).labels(), "-1 0 1");
  EXPECT_EQ(Element(AggFunction::Quantize, {}).add(INT64_MAX).labels(), "2305843009213693952 4611686018427387904");
  EXPECT_EQ(Element(AggFunction::Quantize, {}).add(INT64_MIN).labels(), "-4611686018427387904 -2305843009213693952");
  EXPECT_EQ(Element(AggFunction::Quantize, {}).add(4).add(7).labels(), "2 4 8");
}

TEST(Quantize, NegativeCountsGrowLeftwards) {
  Element e(AggFunction::Quantize, {});
  e.add(1, -3).add(2, -1);
  std::string text = e.printed();
  EXPECT_NE(text.find("               1 " + std::string(10, ' ') + std::string(30, '@') + "| -3       \n"),
            std::string::npos)
      << text;
}

TEST(Quantize, MixedCountsGrowFromTheMiddle) {
  Element e(AggFunction::Quantize, {});
  e.add(1, -1).add(2, 1);
  std::string text = e.printed(), side(20, ' ');
  EXPECT_NE(text.find("               1 " + std::string(10, ' ') + std::string(10, '@') + "|" + side + " -1       \n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("               2 " + side + "|" + std::string(10, '@') + std::string(10, ' ') + " 1        \n"),
            std::string::npos)
      << text;
}

TEST(Quantize, CountsAreNormalized) {
  Element e(AggFunction::Quantize, {});
  e.add(0, 10);
  EXPECT_NE(e.printed(5).find("0 |" + bar(40) + " 2        \n"), std::string::npos);
}

TEST(Lquantize, LabelsAndEnds) {
  EXPECT_EQ(Element(AggFunction::Lquantize, {0, 100, 2}).add(3).add(6).labels(), "0 2 4 6 8");
  EXPECT_EQ(Element(AggFunction::Lquantize, {0, 10, 5}).add(-1).add(10).labels(), "< 0 0 5 >= 10");
  EXPECT_EQ(Element(AggFunction::Lquantize, {0, 10, 3}).add(9).labels(), "6 >= 9");
  EXPECT_EQ(Element(AggFunction::Lquantize, {0, 100, 10}).labels(), "< 0 0 10");
  EXPECT_EQ(Element(AggFunction::Lquantize, {-2, 2}).add(-2).labels(), "< -2 -2 -1");
}

TEST(Llquantize, TheExamplesOfTheManual) {
  Element five(AggFunction::Llquantize, {10, 0, 1, 5});
  for (int64_t v : {0, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100}) five.add(v);
  EXPECT_EQ(five.labels(), "-1 0 1 2 4 6 8 10 20 40 60 80 >= 100");
  Element twenty(AggFunction::Llquantize, {10, 0, 1, 20});
  for (int64_t v = 1; v < 100; ++v) twenty.add(v);
  EXPECT_EQ(twenty.labels(), "0 1 2 3 4 5 6 7 8 9 10 15 20 25 30 35 40 45 50 55 60 65 70 75 80 85 90 95 >= 100");
}

TEST(Llquantize, UnderRangeAndNegative) {
  EXPECT_EQ(Element(AggFunction::Llquantize, {10, 1, 2, 10}).add(5).labels(), "-10 abs() < 10 10");
  EXPECT_EQ(Element(AggFunction::Llquantize, {10, 0, 1, 10}).add(-100).labels(), "<= -100 -90");
  EXPECT_EQ(Element(AggFunction::Llquantize, {10, 0, 1, 10}).add(-3).add(-99).labels(),
            "<= -100 -90 -80 -70 -60 -50 -40 -30 -20 -10 -9 -8 -7 -6 -5 -4 -3 -2");
}

TEST(Llquantize, EachValueLiesInTheBucketOfItsLabel) {
  for (std::vector<int64_t> params :
       {std::vector<int64_t>{10, 0, 3, 5}, {10, 0, 3, 20}, {2, 0, 10, 2}, {16, 1, 3, 4}}) {
    for (int64_t v :
         {0, 1, 2, 9, 10, 11, 15, 16, 17, 99, 100, 101, 255, 256, 999, 1000, 4095, 4096, 9999, 10000, 70000}) {
      Element e(AggFunction::Llquantize, params);
      e.add(v);
      std::string text = e.printed();
      size_t row = text.find('@');
      row = text.rfind('\n', row) + 1;
      std::string label = text.substr(row, 16);
      label = label.substr(label.find_first_not_of(' '));
      if (label.starts_with(">= ")) {
        EXPECT_GE(v, std::stoll(label.substr(3)));
      } else if (!label.starts_with("abs")) {
        EXPECT_LE(std::stoll(label), v);
        size_t next = text.find('\n', row) + 1;
        std::string after = text.substr(next, 16);
        after = after.substr(after.find_first_not_of(' '));
        if (after.starts_with(">= ")) after = after.substr(3);
        EXPECT_GT(std::stoll(after), v);
      }
    }
  }
}

}  // namespace
}  // namespace sonde
