// SPDX-License-Identifier: GPL-3.0-or-later
// A hash table of numbers (ids, positions in a list) whose keys are stored elsewhere
//
// Open addressing: 4 bytes a place, at most seven eighths of them used. A node of unordered_set costs ten times that.
// There is no erase: when a number's key is gone, the caller's `equals` must return false for it; the caller rebuilds
// the table from time to time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sonde {

class NumberTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// The number with this hash for which `equals(number)` is true, or kNone.
  template <typename Equals>
  uint32_t find(size_t hash, Equals equals) const {
    for (size_t at = hash; !places_.empty(); at++) {
      const uint32_t number = places_[at & (places_.size() - 1)];
      if (number == kNone || equals(number)) return number;
    }
    return kNone;
  }

  /// `hash_of(number)` returns the hash of a number in the table; add() calls it when the table grows.
  template <typename HashOf>
  void add(uint32_t number, size_t hash, HashOf hash_of) {
    if (used_ + 1 > places_.size() / 8 * 7) {
      std::vector<uint32_t> wider(places_.empty() ? 16 : places_.size() * 2, kNone);
      places_.swap(wider);
      for (const uint32_t known : wider)
        if (known != kNone) put(known, hash_of(known));
    }
    put(number, hash);
    used_++;
  }

  void clear() {
    places_.clear();
    used_ = 0;
  }

 private:
  void put(uint32_t number, size_t hash) {
    while (places_[hash & (places_.size() - 1)] != kNone) hash++;
    places_[hash & (places_.size() - 1)] = number;
  }

  std::vector<uint32_t> places_;  // a power of two of them
  size_t used_ = 0;
};

}  // namespace sonde
