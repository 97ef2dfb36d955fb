// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <utility>

#include "runtime/buffer/ring.h"

namespace sonde {

size_t MergeReader::add(const MappedRing& ring, Trust trust) {
  readers_.emplace_back(ring, trust);
  fronts_.reserve(readers_.size());
  return readers_.size() - 1;
}

/// Reads all low-water marks, then all heads. Returns a time: every record older than it is visible, and none will be
/// added.
Nanoseconds MergeReader::refresh(Nanoseconds now) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // R3, pairs with W3
  Nanoseconds bound = now;
  for (const RingReader& reader : readers_) bound = std::min(bound, reader.low_water());
  for (RingReader& reader : readers_) reader.refresh();
  return complete_to_ = bound;
}

void MergeReader::collect_fronts(Nanoseconds bound, bool all) {
  fronts_.clear();
  for (uint32_t n = 0; n < readers_.size(); n++) {
    const sonde_record* record = readers_[n].peek();
    if (record != nullptr && (all || record->timestamp < bound)) fronts_.push_back({record->timestamp, n});
  }
  std::sort(fronts_.begin(), fronts_.end());  // a sorted array is a valid heap
}

/// Consumes the record at the front of the heap, then puts its ring back by its next record.
void MergeReader::advance_first(Nanoseconds bound, bool all) {
  RingReader& reader = readers_[fronts_[0].ring];
  reader.pop();
  const sonde_record* next = reader.peek();
  if (next != nullptr && (all || next->timestamp < bound)) {
    fronts_[0].timestamp = next->timestamp;
  } else {
    fronts_[0] = fronts_.back();
    fronts_.pop_back();
  }
  sift_down(0);
}

void MergeReader::sift_down(size_t at) {
  for (;;) {
    size_t least = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < fronts_.size(); child++)
      if (fronts_[child] < fronts_[least]) least = child;
    if (least == at) return;
    std::swap(fronts_[at], fronts_[least]);
    at = least;
  }
}

std::vector<RingDrops> MergeReader::take_drops() {
  std::vector<RingDrops> result;
  for (size_t n = 0; n < readers_.size(); n++)
    if (const uint64_t drops = readers_[n].take_drops()) result.push_back({n, readers_[n].writer(), drops});
  return result;
}

std::vector<Error> MergeReader::take_errors() {
  std::vector<Error> result;
  for (RingReader& reader : readers_)
    if (auto error = reader.take_error()) result.push_back(std::move(*error));
  return result;
}

}  // namespace sonde
