// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Tables of folded records (kmod/shared/fold.h): two behind each ring
//
//   behind the ring's scratch   [ table 0 | table 1 | slack ]        the ring's kGeneration says which one is filled
//   a table                     [ FoldTable | index: where elements begin | elements, one behind the other ]
//   an element                  [ FoldElement | words of the states | slots and texts of the first record ]
//
// The holder of the ring (rings.h) fills one table. The reader changes kGeneration, waits until nobody holds the ring who may have
// seen the old value, then has the other table for itself: what it hands over is everything up to one moment, once.
// We refused the kernel's own per-CPU hash: its elements are copied out by a system call each while others change, so that what
// a clear() removes and what a printa() has shown differ, and a program that is interrupted inside a step would lose one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kmod/shared/record.h"
#include "runtime/base/result.h"
#include "runtime/buffer/mapped_ring.h"

namespace sonde::bpf {

struct FoldTable {
  uint64_t used;  ///< bytes, from the table's beginning; at first fold_log()
  uint64_t reserved[7];
};

struct FoldElement {
  uint64_t hash;
  uint32_t bytes;  ///< of the element
  uint16_t words;  ///< of the states
  uint16_t slots;
  uint32_t epid, probe;
  uint32_t tid, pid;  ///< 0 if they do not belong to the key
  uint64_t firings;
};

inline constexpr uint32_t kFoldFirst = 256u << 10, kFoldOther = 16u << 10;  ///< bytes of a table, powers of two
inline constexpr uint32_t kFoldSlack = 16u << 10;  ///< so that an element may begin at the last byte
inline constexpr uint32_t kFoldElementMost = 8u << 10;
inline constexpr uint32_t kFoldProbes = 8;      ///< places of the index that are looked at
inline constexpr uint32_t kFoldIndexShift = 6;  ///< the index has a place for so many bytes of the table
inline constexpr uint32_t kFoldIndex = sizeof(FoldTable);
static_assert(kFoldIndex == 64 && sizeof(FoldElement) == 40 && kFoldElementMost < kFoldSlack);

/// Where the elements of a table begin.
constexpr uint32_t fold_log(uint32_t table_bytes) {
  return (kFoldIndex + 4 * ((table_bytes >> kFoldIndexShift) + kFoldProbes) + 7) & ~7u;
}
constexpr uint32_t fold_area(uint32_t table_bytes) { return 2 * table_bytes + kFoldSlack; }

/// The reader of a ring's tables. Context: one thread.
class FoldTables {
 public:
  /// Maps the tables at `offset` of the map; `ring` must outlive them. Errors: those of mmap(2).
  static Result<FoldTables> map(int map, uint64_t offset, uint32_t table_bytes, sonde_ring* ring);
  FoldTables(FoldTables&& other) noexcept;
  FoldTables& operator=(FoldTables&&) = delete;
  ~FoldTables();

  /// `record`: a record with the element's keys.
  using Taker = std::function<void(const sonde_record& record, uint64_t firings, std::span<const int64_t> words)>;
  /// Hands over what was folded since the last time.
  void take(const Taker& each);

 private:
  FoldTables(uint8_t* area, uint32_t table_bytes, sonde_ring* ring)
      : area_(area), table_bytes_(table_bytes), ring_(ring) {}

  FoldTable& table(uint32_t n) const { return *reinterpret_cast<FoldTable*>(area_ + uint64_t{n} * table_bytes_); }
  bool change_tables();
  void hand_over(const FoldElement& element, const Taker& each);

  uint8_t* area_;
  uint32_t table_bytes_;
  sonde_ring* ring_;
  uint32_t filled_ = 0;   ///< the table that is filled
  bool changed_ = false;  ///< to it, and the other one has not been read yet
  std::vector<uint64_t> record_;
};

}  // namespace sonde::bpf
