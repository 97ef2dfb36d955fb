// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/body/memory.h"

#include <algorithm>
#include <cstring>

namespace sonde {
namespace {

constexpr uint64_t kSlab = 64 * 1024;

uint32_t rounded_up(uint32_t bytes) { return (std::max<uint32_t>(bytes, 8) + 15) & ~15u; }

}  // namespace

Scratch::Scratch(uint64_t bytes, uint64_t slack)
    : base_(std::make_unique_for_overwrite<uint8_t[]>(bytes + slack)), size_(bytes) {}

uint8_t* Scratch::take(uint64_t bytes) {
  if (bytes > size_) return nullptr;
  uint64_t room = (bytes + 7) & ~uint64_t{7};
  if (room > size_ - used_) return nullptr;
  uint8_t* piece = base_.get() + used_;
  std::memset(piece, 0, room);
  used_ += room;
  return piece;
}

uint8_t* BufferPool::take(uint32_t bytes) {
  uint32_t rounded = rounded_up(bytes);
  std::vector<uint8_t*>& free = free_[rounded];
  if (free.empty()) add_slab(rounded, free);
  uint8_t* buffer = free.back();
  free.pop_back();
  std::memset(buffer, 0, rounded);
  return buffer;
}

void BufferPool::give_back(uint8_t* buffer, uint32_t bytes) { free_[rounded_up(bytes)].push_back(buffer); }

void BufferPool::add_slab(uint32_t rounded, std::vector<uint8_t*>& free) {
  uint64_t count = std::max<uint64_t>(1, std::min<uint64_t>(kSlab / rounded, 64));
  uint64_t size = count * rounded;
  slabs_.push_back({std::make_unique_for_overwrite<uint8_t[]>(size + slack_), size});
  for (uint64_t i = count; i-- > 0;) free.push_back(slabs_.back().memory.get() + i * rounded);
}

uint64_t BufferPool::reach(uint64_t address) const {
  for (const Slab& slab : slabs_) {
    auto begin = reinterpret_cast<uint64_t>(slab.memory.get());
    if (address >= begin && address < begin + slab.size) return begin + slab.size - address;
  }
  return 0;
}

bool BufferPool::holds(uint64_t address, uint64_t size) const { return size <= reach(address) && reach(address) != 0; }

}  // namespace sonde
