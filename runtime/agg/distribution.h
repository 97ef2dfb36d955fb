// SPDX-License-Identifier: GPL-3.0-or-later
// The block that quantize, lquantize and llquantize print.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sonde {

/// Which buckets are shown: all that are not empty, and one on either side.
struct BucketRange {
  uint64_t first = 0, last = 0;
};

/// `empty_first`: where three rows begin when all buckets are empty.
BucketRange shown_buckets(const int64_t* counts, uint64_t buckets, uint64_t empty_first);

/// Newline, header and one row a bucket. `label` is what stands in the value column.
void print_distribution(const int64_t* counts, uint64_t buckets, BucketRange range, uint64_t normal,
                        const std::function<std::string(uint64_t bucket)>& label, std::string& out);

/// Sum of |count|, and the like.
void merge_counts(int64_t* into, const int64_t* from, uint64_t buckets);

}  // namespace sonde
