// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/functions.h"

// Words: the number of values; their sum, 128 bits; the sum of their squares, 128 bits.
// The result is the integer square root of (mean of the squares - square of the mean).
#include <cstring>

namespace sonde {
namespace {

using Wide = AggWide;
using UWide = AggUnsignedWide;

UWide load(const int64_t* words) {
  UWide wide;
  std::memcpy(&wide, words, sizeof wide);
  return wide;
}
void store(int64_t* words, UWide wide) { std::memcpy(words, &wide, sizeof wide); }

uint64_t square_root(UWide n) {
  UWide root = 0;
  for (UWide bit = UWide{1} << 63; bit != 0; bit >>= 1)
    if ((root | bit) * (root | bit) <= n) root |= bit;
  return static_cast<uint64_t>(root);
}

uint64_t words(const AggregationDesc&) { return 5; }

void step(const AggregationDesc&, int64_t* data, int64_t value, int64_t) {
  auto wide = static_cast<Wide>(value);
  ++data[0];
  store(data + 1, load(data + 1) + static_cast<UWide>(wide));
  store(data + 3, load(data + 3) + static_cast<UWide>(wide * wide));
}

void merge(const AggregationDesc&, int64_t* into, const int64_t* from) {
  into[0] += from[0];
  store(into + 1, load(into + 1) + load(from + 1));
  store(into + 3, load(into + 3) + load(from + 3));
}

int64_t value(const int64_t* data) {
  if (data[0] == 0) return 0;
  Wide mean = static_cast<Wide>(load(data + 1)) / data[0];
  UWide mean_square = load(data + 3) / static_cast<UWide>(data[0]);
  UWide square = static_cast<UWide>(mean * mean);
  return mean_square <= square ? 0 : static_cast<int64_t>(square_root(mean_square - square));
}

AggTotal total(const AggregationDesc&, const int64_t* data) { return {static_cast<long double>(value(data)), 0}; }

AggSums sums(const int64_t* data) { return {data[0], static_cast<Wide>(load(data + 1)), load(data + 3)}; }
bool has_value(const int64_t* data) { return data[0] != 0; }

}  // namespace

const AggOperations kStddev = {words, step, merge, total, value, nullptr, sums, has_value};

}  // namespace sonde
