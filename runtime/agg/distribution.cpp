// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/distribution.h"

#include <algorithm>
#include <cstdio>

#include "runtime/agg/functions.h"

namespace sonde {
namespace {

constexpr int kBar = 40;

/// Which signs the counts have, and how much they are together.
struct Weighing {
  bool positives = false, negatives = false;
  long double total = 0;
};

Weighing weigh(const int64_t* counts, uint64_t buckets) {
  Weighing weighing;
  for (uint64_t i = 0; i < buckets; ++i) {
    auto count = static_cast<long double>(counts[i]);
    weighing.positives |= counts[i] > 0;
    weighing.negatives |= counts[i] < 0;
    weighing.total += count < 0 ? -count : count;
  }
  return weighing;
}

/// Columns that `count` fills of `length`.
size_t depth_of(int64_t count, int length, const Weighing& weighing) {
  if (weighing.total == 0) return 0;
  long double share = static_cast<long double>(count) * length / weighing.total;
  return static_cast<size_t>((share < 0 ? -share : share) + 0.5L);
}

/// 41 columns: a | and the bar on the side that the sign asks for.
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

}  // namespace

BucketRange shown_buckets(const int64_t* counts, uint64_t buckets, uint64_t empty_first) {
  uint64_t first = 0;
  while (first < buckets && counts[first] == 0) ++first;
  if (first == buckets) return {empty_first, std::min(empty_first + 2, buckets - 1)};
  uint64_t last = buckets - 1;
  while (counts[last] == 0) --last;
  return {first == 0 ? 0 : first - 1, std::min(last + 1, buckets - 1)};
}

void print_distribution(const int64_t* counts, uint64_t buckets, BucketRange range, uint64_t normal,
                        const std::function<std::string(uint64_t bucket)>& label, std::string& out) {
  char line[128];
  std::snprintf(line, sizeof line, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
  out += line;
  Weighing weighing = weigh(counts, buckets);
  for (uint64_t i = range.first; i <= range.last; ++i) {
    std::snprintf(line, sizeof line, "%16s %s %-9lld\n", label(i).c_str(), bar(counts[i], weighing).c_str(),
                  static_cast<long long>(normalized(counts[i], normal)));
    out += line;
  }
}

void merge_counts(int64_t* into, const int64_t* from, uint64_t buckets) {
  for (uint64_t i = 0; i < buckets; ++i) into[i] += from[i];
}

}  // namespace sonde
