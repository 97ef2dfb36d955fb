// SPDX-License-Identifier: GPL-3.0-or-later
// The block that a distribution prints: a row for each bucket that is not empty, and one empty row on either side
#include <algorithm>
#include <span>

#include "runtime/agg/functions.h"
#include "runtime/format/append.h"
#include "runtime/format/format.h"

namespace sonde {
namespace {

constexpr int kBar = 40;

/// The signs of the counts, and their total.
struct Weighing {
  bool positives = false, negatives = false;
  long double total = 0;
};

Weighing weigh(std::span<const int64_t> counts) {
  Weighing weighing;
  for (const int64_t number : counts) {
    auto count = static_cast<long double>(number);
    weighing.positives |= number > 0;
    weighing.negatives |= number < 0;
    weighing.total += count < 0 ? -count : count;
  }
  return weighing;
}

/// The number of columns that `count` fills, of `length`.
size_t depth_of(int64_t count, int length, const Weighing& weighing) {
  if (weighing.total == 0) return 0;
  long double share = static_cast<long double>(count) * length / weighing.total;
  return static_cast<size_t>((share < 0 ? -share : share) + 0.5L);
}

/// 41 columns: a |, and the bar on the side of its sign.
std::string bar(int64_t count, const Weighing& weighing) {
  if (!weighing.negatives) {
    size_t depth = depth_of(count, kBar, weighing);
    return "|" + std::string(depth, '@') + std::string(kBar - depth, ' ');
  }
  if (!weighing.positives) {
    size_t depth = depth_of(count, kBar, weighing);
    return std::string(kBar - depth, ' ') + std::string(depth, '@') + "|";
  }
  size_t depth = depth_of(count, kBar / 2, weighing);
  std::string ats(depth, '@'), rest(kBar / 2 - depth, ' '), side(kBar / 2, ' ');
  return count <= 0 ? rest + ats + "|" + side : side + "|" + ats + rest;
}

/// The text in the value column.
std::string label_of(const Bucket& bucket) {
  const std::string bound = (bucket.negative ? "-" : "") + std::to_string(bucket.magnitude);
  switch (bucket.label) {
    case Bucket::Label::Value: return bound;
    case Bucket::Label::Below: return "< " + bound;
    case Bucket::Label::AtLeast: return ">= " + bound;
    case Bucket::Label::AtMost: return "<= " + bound;
    case Bucket::Label::Within: return "abs() < " + bound;
  }
  return bound;
}

struct Shown {
  size_t first, last;
};

Shown shown_of(std::span<const int64_t> counts, size_t empty_first) {
  const auto is_filled = [](int64_t count) { return count != 0; };
  const auto filled = std::ranges::find_if(counts, is_filled);
  const size_t end = counts.size() - 1;
  if (filled == counts.end()) return {empty_first, std::min(empty_first + 2, end)};
  const auto first = static_cast<size_t>(filled - counts.begin());
  size_t last = end;
  while (counts[last] == 0) --last;
  return {first == 0 ? 0 : first - 1, std::min(last + 1, end)};
}

}  // namespace

void format_distribution(const Distribution& distribution, const int64_t* data, uint64_t normal, std::string& out) {
  const std::span counts(data, distribution.buckets.size());
  append_format(out, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
  const Weighing weighing = weigh(counts);
  const Shown shown = shown_of(counts, distribution.empty_first);
  for (size_t i = shown.first; i <= shown.last; ++i)
    append_format(out, "%16s %s %-9lld\n", label_of(distribution.buckets[i]).c_str(), bar(counts[i], weighing).c_str(),
                  static_cast<long long>(normalized(counts[i], normal)));
}

}  // namespace sonde
