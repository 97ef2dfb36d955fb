// SPDX-License-Identifier: GPL-3.0-or-later
// The aggregating functions of D: one row each, one file each.
//
// An element's state is an array of 64-bit words, all zero before the first step. So clearing
// an element is zeroing it, and merging two tables is merging words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/program/program.h"

namespace sonde {

/// The sort key of an element: first `value`, then `zero` (the zero bucket of a distribution).
struct AggTotal {
  long double value = 0;
  int64_t zero = 0;
  auto operator<=>(const AggTotal&) const = default;
};

/// The bucket of one word of a distribution's element: the values that it counts.
struct Bucket {
  enum class Label : uint8_t {
    Value,    ///< from `bound`, away from zero, up to the next bucket
    Below,    ///< less than `bound`
    AtLeast,  ///< `bound` or more
    AtMost,   ///< `bound` or less
    Within,   ///< closer to zero than `bound`
  };
  uint64_t magnitude = 0;  ///< of `bound`: llquantize() has bounds beyond 63 bits
  bool negative = false;
  Label label = Label::Value;

  static Bucket at(int64_t bound, Label label = Label::Value) {
    return {bound < 0 ? 0 - static_cast<uint64_t>(bound) : static_cast<uint64_t>(bound), bound < 0, label};
  }
};

/// The buckets of a distribution, in the order of its words.
struct Distribution {
  std::vector<Bucket> buckets;
  uint64_t empty_first = 0;  ///< the first of the three that are shown if all are empty
};

__extension__ typedef __int128 AggWide;
__extension__ typedef unsigned __int128 AggUnsignedWide;

/// The sums behind a mean: those of several elements can be added, their means cannot.
struct AggSums {
  int64_t count = 0;
  AggWide sum = 0;
  std::optional<AggUnsignedWide> of_squares;
};

/// The operations of one aggregating function. `data` has words(desc) words.
struct AggOperations {
  uint64_t (*words)(const AggregationDesc& desc);
  void (*step)(const AggregationDesc& desc, int64_t* data, int64_t value, int64_t weight);
  void (*merge)(const AggregationDesc& desc, int64_t* into, const int64_t* from);
  AggTotal (*total)(const AggregationDesc& desc, const int64_t* data);
  /// The number to show; null for a distribution.
  int64_t (*value)(const int64_t* data);
  /// Null for a function whose result is a number.
  Distribution (*distribution)(const AggregationDesc& desc);
  /// Null if the number alone is enough to merge elements.
  AggSums (*sums)(const int64_t* data) = nullptr;
  /// Whether anything has been aggregated since the element was cleared, without which there is no result; null: there
  /// always is one.
  bool (*has_value)(const int64_t* data) = nullptr;
};

extern const AggOperations kCount, kSum, kAvg, kMin, kMax, kStddev, kQuantize, kLquantize, kLlquantize;

struct AggFunctionRow {
  std::string_view name;
  std::string_view prototype;  ///< in the syntax of runtime/lang/functions.h
  AggFunction function;
  const AggOperations* operations;
  std::string_view doc;
};

inline constexpr std::array kAggFunctions = std::to_array<AggFunctionRow>({
    {"avg", "void(int64_t)", AggFunction::Avg, &kAvg, "arithmetic mean"},
    {"count", "void()", AggFunction::Count, &kCount, "number of times"},
    {"llquantize", "void(int64_t, int32_t, int32_t, int32_t, int32_t, [int64_t])", AggFunction::Llquantize,
     &kLlquantize, "distribution in linear steps within powers of a factor"},
    {"lquantize", "void(int64_t, int32_t, int32_t, [int32_t], [int64_t])", AggFunction::Lquantize, &kLquantize,
     "distribution in linear steps"},
    {"max", "void(int64_t)", AggFunction::Max, &kMax, "greatest value"},
    {"min", "void(int64_t)", AggFunction::Min, &kMin, "least value"},
    {"quantize", "void(int64_t, [int64_t])", AggFunction::Quantize, &kQuantize, "distribution in powers of two"},
    {"stddev", "void(int64_t)", AggFunction::Stddev, &kStddev, "standard deviation"},
    {"sum", "void(int64_t)", AggFunction::Sum, &kSum, "total"},
});
static_assert(std::ranges::is_sorted(kAggFunctions, {}, &AggFunctionRow::name));

/// The row of a name, or null.
constexpr const AggFunctionRow* find_aggregating_function(std::string_view name) {
  auto at = std::ranges::lower_bound(kAggFunctions, name, {}, &AggFunctionRow::name);
  return at != kAggFunctions.end() && at->name == name ? &*at : nullptr;
}

/// The bytes of one element, as aggsize counts them: a record's header, its value and its keys.
uint64_t element_bytes(const AggregationDesc& desc);

/// The row of a function.
const AggFunctionRow& row_of(AggFunction function);

/// Adds counts to counts: merge() of a distribution.
void merge_counts(int64_t* into, const int64_t* from, uint64_t buckets);

/// value / normal, toward zero; `normal` is unsigned.
int64_t normalized(int64_t value, uint64_t normal);

}  // namespace sonde
