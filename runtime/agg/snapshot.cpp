// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/snapshot.h"

#include <algorithm>

namespace sonde {
namespace {

/// The row's label in the table that DTrace prints. A bucket without a number of its own gets one that no other row
/// has: the bucket below the first level is one step before it, the one around zero is 0.
AggWide row_name(const std::vector<Bucket>& buckets, size_t at) {
  const auto bound = [&](size_t i) {
    const auto magnitude = static_cast<AggWide>(buckets[i].magnitude);
    return buckets[i].negative ? -magnitude : magnitude;
  };
  switch (buckets[at].label) {
    case Bucket::Label::Below: return 2 * bound(at + 1) - bound(at + 2);
    case Bucket::Label::Within: return 0;
    case Bucket::Label::Value:
    case Bucket::Label::AtLeast:
    case Bucket::Label::AtMost: break;
  }
  return bound(at);
}

}  // namespace

void AggSnapshot::add(std::unique_ptr<AggTable> table) {
  tables.push_back(table.get());
  copies.push_back(std::move(table));
}

void AggSnapshot::add_copy(const AggTable& table, MemoryBudget& budget) { add(table.picture(budget)); }

AggElement read_element(const AggTable& table, const int64_t* data) {
  AggElement element;
  const AggOperations& operations = table.operations();
  if (operations.sums != nullptr) element.sums = operations.sums(data);
  if (operations.value != nullptr) {
    element.is_number = true;
    if (operations.has_value == nullptr || operations.has_value(data)) element.value = operations.value(data);
    return element;
  }
  const std::vector<Bucket>& buckets = table.distribution().buckets;
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (data[i] == 0) continue;
    element.counts.push_back({row_name(buckets, i), data[i]});
    element.count = static_cast<int64_t>(static_cast<uint64_t>(element.count) + static_cast<uint64_t>(data[i]));
  }
  return element;
}

std::string to_string(AggUnsignedWide number) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number != 0);
  std::ranges::reverse(digits);
  return digits;
}

std::string to_string(AggWide number) {
  const auto bits = static_cast<AggUnsignedWide>(number);
  return number < 0 ? "-" + to_string(-bits) : to_string(bits);
}

}  // namespace sonde
