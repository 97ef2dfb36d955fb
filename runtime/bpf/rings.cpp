// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/rings.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "runtime/base/clock.h"
#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/cpus.h"
#include "runtime/bpf/frame.h"

namespace sonde::bpf {
namespace {

/// The verifier adds no more to a pointer than 2^29 bytes.
constexpr uint64_t kMostBytes = 256u << 20;
constexpr uint32_t kOthersShare = 16;
constexpr uint32_t kWakeBytes = 4096;

/// What one of the maps has.
struct Shape {
  uint32_t data_bytes, table_bytes;
  uint32_t rings, of_a_cpu;
  uint32_t first_level;

  uint32_t fold_offset() const { return SONDE_RING_DATA + data_bytes + kScratchBytes; }
  uint32_t element_bytes() const { return fold_offset() + fold_area(table_bytes); }
};

/// Writes the header of the ring that begins there, and maps all of it.
Result<MappedRing> begin_ring(int map, uint64_t offset, uint32_t data_bytes, uint32_t cpu, uint32_t level) {
  void* page = mmap(nullptr, SONDE_RING_DATA, PROT_READ | PROT_WRITE, MAP_SHARED, map, static_cast<off_t>(offset));
  if (page == MAP_FAILED) return Error::from_errno("map a ring");
  auto* ring = static_cast<sonde_ring*>(page);
  ring->size = data_bytes;
  ring->writer = cpu;
  ring->low_water = SONDE_IDLE;
  auto* bytes = static_cast<uint8_t*>(page);
  *reinterpret_cast<uint64_t*>(bytes + kLastTime) = monotonic_now();
  *reinterpret_cast<uint64_t*>(bytes + kWokenAt) = ~0ull;
  *reinterpret_cast<uint32_t*>(bytes + kLevel) = level;
  ring->magic = SONDE_RING_MAGIC;
  munmap(page, SONDE_RING_DATA);
  return map_ring(map, offset);
}

Result<void> begin_rings(int map, const Shape& shape, std::vector<MappedRing>& rings, std::vector<FoldTables>& folded) {
  for (uint32_t n = 0; n < shape.rings; n++) {
    const uint64_t offset = uint64_t{n} * shape.element_bytes();
    auto ring = begin_ring(map, offset, shape.data_bytes, n / shape.of_a_cpu, shape.first_level + n % shape.of_a_cpu);
    if (!ring) return std::move(ring).error();
    auto tables = FoldTables::map(map, offset + shape.fold_offset(), shape.table_bytes, ring->get());
    if (!tables) return std::move(tables).error();
    rings.push_back(std::move(*ring));
    folded.push_back(std::move(*tables));
  }
  return {};
}

}  // namespace

Result<Rings> Rings::create(uint64_t bytes) {
  if (bytes > kMostBytes) return Error("a buffer of this source has at most 256 MiB", EINVAL);
  Rings made;
  made.cpus_ = online_cpus().back() + 1;
  made.first_bytes_ = static_cast<uint32_t>(std::bit_ceil(std::max(bytes, kRingBytesMin)));
  made.other_bytes_ = static_cast<uint32_t>(std::max<uint64_t>(made.first_bytes_ / kOthersShare, kRingBytesMin));
  const Shape first_shape{made.first_bytes_, kFoldFirst, made.cpus_, 1, 0};
  const Shape other_shape{made.other_bytes_, kFoldOther, made.cpus_ * (kLevels - 1), kLevels - 1, 1};
  const auto array = [](const Shape& shape) {
    return MapShape{BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), shape.element_bytes(), shape.rings, BPF_F_MMAPABLE};
  };
  auto first = create_map("rings", array(first_shape));
  if (!first) return std::move(first).error();
  auto others = create_map("nested", array(other_shape));
  if (!others) return std::move(others).error();
  auto wake = create_map("wake", {BPF_MAP_TYPE_RINGBUF, 0, 0, kWakeBytes, 0});
  if (!wake) return std::move(wake).error();
  made.first_ = std::move(*first);
  made.others_ = std::move(*others);
  made.wake_ = std::move(*wake);
  if (auto done = begin_rings(made.first_map(), first_shape, made.rings_, made.folded_); !done)
    return std::move(done).error();
  if (auto done = begin_rings(made.other_map(), other_shape, made.rings_, made.folded_); !done)
    return std::move(done).error();
  return made;
}

}  // namespace sonde::bpf
