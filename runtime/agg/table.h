// SPDX-License-Identifier: GPL-3.0-or-later
// One aggregation: its elements, and the effects of clear(), trunc() and normalize().
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runtime/agg/functions.h"
#include "runtime/agg/key_table.h"
#include "runtime/agg/keys.h"

namespace sonde {

/// The memory that all aggregations of a run may use together (aggsize).
struct MemoryBudget {
  uint64_t limit = 0;
  uint64_t used = 0;
  bool fits(uint64_t bytes) const { return bytes <= limit && used <= limit - bytes; }
};

/// Which elements are printed, and in which order: the aggsort options and aggzeros.
struct SortRules {
  bool by_key = false;
  bool reverse = false;
  bool zeros = true;         ///< also those whose numbers are all 0
  uint32_t key = 0;          ///< index of the key that counts first
  uint32_t aggregation = 0;  ///< index of the aggregation that counts, if several are printed
};

class AggTable {
 public:
  /// `desc` and `budget` must outlive the table.
  AggTable(const AggregationDesc& desc, uint32_t strsize, MemoryBudget& budget);
  ~AggTable();
  AggTable(const AggTable&) = delete;
  AggTable& operator=(const AggTable&) = delete;

  /// Aggregates a value. False: there is no memory for a new element (a drop).
  bool add(const uint64_t* keys, int64_t value, int64_t weight) {
    KeyedEntry* entry = element(keys);
    if (entry == nullptr) return false;
    operations_.step(desc_, entry->data(), value, weight);
    return true;
  }
  /// The same with all values of an element, of which it has the words.
  bool merge(const uint64_t* keys, const int64_t* words) {
    KeyedEntry* entry = element(keys);
    if (entry == nullptr) return false;
    operations_.merge(desc_, entry->data(), words);
    return true;
  }

  /// For -x aggpercpu: a CPU's share, which is kept besides.
  AggTable& share_of(uint32_t cpu) {
    std::unique_ptr<AggTable>& one = cpus_[cpu];
    if (one == nullptr) one = std::make_unique<AggTable>(desc_, codec_.strsize(), budget_);
    return *one;
  }

  /// What take_interval() returns: whatever is added must be added to it, too.
  AggTable& interval() {
    if (interval_ == nullptr) interval_ = std::make_unique<AggTable>(desc_, codec_.strsize(), budget_);
    return *interval_;
  }
  /// Returns what was added since the last call, whose time is the result's `start`; `now`, CLOCK_MONOTONIC, starts the
  /// next interval. What clear() and trunc() have removed is not included.
  std::unique_ptr<AggTable> take_interval(uint64_t now);

  void clear();
  void truncate_all();
  /// Keeps the `keep` greatest elements by value; if negative, the -`keep` least.
  void truncate(int64_t keep);

  /// A copy of the elements, counted in `budget`.
  std::unique_ptr<AggTable> picture(MemoryBudget& budget) const;

  /// Adds the spaces that its keys name.
  void add_spaces(std::unordered_set<uint32_t>& spaces) const;

  uint64_t size() const { return table_.size(); }
  std::vector<KeyedEntry*> entries() const;
  KeyedEntry* find(const KeyedEntry& like) const { return table_.find(like.key(), like.key_bytes, like.hash); }

  /// Each CPU's share; empty without aggpercpu.
  const std::map<uint32_t, std::unique_ptr<AggTable>>& cpus() const { return cpus_; }

  const AggregationDesc& desc() const { return desc_; }
  const AggOperations& operations() const { return operations_; }
  const KeyCodec& codec() const { return codec_; }
  /// For a function that has one.
  const Distribution& distribution() const {
    if (distribution_.buckets.empty()) distribution_ = operations_.distribution(desc_);
    return distribution_;
  }

  uint64_t normal = 1;   ///< normalize()
  uint64_t start = 0;    ///< CLOCK_MONOTONIC of its last clear(); 0: it counts from the beginning
  bool printed = false;  ///< by printa(): so it is not printed at the end

 private:
  /// The element of these keys, a new one if there was none; null: there is no memory for it.
  KeyedEntry* element(const uint64_t* keys) {
    uint8_t* key = reinterpret_cast<uint8_t*>(key_buffer_.data());
    auto bytes = static_cast<uint64_t>(codec_.encode(keys, key) - key);
    uint64_t hash = hash_key(key, bytes);
    KeyedEntry* entry = table_.find(key, bytes, hash);
    return entry == nullptr ? make(key, bytes, hash) : entry;
  }
  KeyedEntry* make(const uint8_t* key, uint64_t bytes, uint64_t hash);
  void* allocate(uint64_t bytes);
  void keep_only(std::span<KeyedEntry* const> kept);
  void keep_those_of(const AggTable& other);
  void forget();

  const AggregationDesc& desc_;
  const AggOperations& operations_;
  KeyCodec codec_;
  mutable Distribution distribution_;  ///< computed at the first use
  MemoryBudget& budget_;
  uint64_t words_;
  uint64_t element_bytes_;  ///< that an element takes of the budget
  KeyTable table_;
  std::vector<uint64_t> key_buffer_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  uint64_t chunk_left_ = 0;
  std::byte* chunk_at_ = nullptr;
  std::map<uint32_t, std::unique_ptr<AggTable>> cpus_;
  std::unique_ptr<AggTable> interval_;  ///< null: nothing was added
  uint64_t interval_start_ = 0;
};

/// One tuple of keys, and its element in each of several aggregations (null: none).
struct JoinedRow {
  const KeyedEntry* key;
  std::vector<const KeyedEntry*> elements;
};

/// Joins aggregations with the same types of keys, in the order that the rules give.
std::vector<JoinedRow> join(std::span<AggTable* const> tables, const SortRules& rules);

}  // namespace sonde
