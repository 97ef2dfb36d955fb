// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The rings that programs in the kernel write
//
//   an element of an array map:   [ header page | data, 2^n | scratch | tables of folded records ]
//   mappings of it here:          [ a ring                ]           [ fold_tables.h            ]
//
// kmod/shared/record.h has the protocol. A CPU has three rings: the first for whoever comes first, the others, which are
// a 16th as large, for a program that interrupts the holder of one. A program holds a ring from its compare-and-swap of
// low_water (IDLE to the time of the ring's last firing: lock, barrier W3 and announcement in one) until it stores
// IDLE. The processor stores in order (x86), so a plain store publishes head.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"
#include "runtime/bpf/fold_tables.h"
#include "runtime/buffer/mapped_ring.h"

namespace sonde::bpf {

inline constexpr uint32_t kLevels = 3;  ///< rings of a CPU

class Rings {
 public:
  /// Makes rings of at least `bytes` of data for every CPU that is online, and maps them.
  /// Errors: EINVAL too large; those of bpf(2) and mmap(2).
  static Result<Rings> create(uint64_t bytes);

  std::span<const MappedRing> mapped() const { return rings_; }
  /// The mapped rings, for who takes them over.
  std::vector<MappedRing> take_mapped() { return std::move(rings_); }
  /// The tables behind them.
  std::vector<FoldTables>& folded() { return folded_; }
  uint32_t cpus() const { return cpus_; }
  /// The map of the first rings: an element a CPU; and of the others: kLevels - 1 elements a CPU.
  int first_map() const { return first_.get(); }
  int other_map() const { return others_.get(); }
  uint32_t first_bytes() const { return first_bytes_; }
  uint32_t other_bytes() const { return other_bytes_; }
  /// A ring buffer of the kernel's kind, without data: programs wake the reader by it.
  int wake_map() const { return wake_.get(); }

 private:
  UniqueFd first_, others_, wake_;
  uint32_t cpus_ = 0, first_bytes_ = 0, other_bytes_ = 0;
  std::vector<MappedRing> rings_;
  std::vector<FoldTables> folded_;
};

}  // namespace sonde::bpf
