// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/agg/key_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <utility>

namespace sonde {

uint64_t hash_key(const uint8_t* key, uint64_t bytes) { return XXH3_64bits(key, bytes); }

void KeyTable::insert(KeyedEntry* entry) {
  if ((size_ + 1) * 2 > slots_.size()) grow();
  place(entry->hash, entry);
  ++size_;
}

void KeyTable::erase(KeyedEntry* entry) {
  uint64_t at = entry->hash & mask_;
  while (slots_[at].entry != entry) at = (at + 1) & mask_;
  // Closes the gap: moves up the entries behind it whose home is at the gap or before it.
  for (uint64_t next = (at + 1) & mask_; slots_[next].entry != nullptr; next = (next + 1) & mask_) {
    uint64_t home = slots_[next].hash & mask_;
    if (((next - home) & mask_) < ((next - at) & mask_)) continue;
    slots_[at] = slots_[next];
    at = next;
  }
  slots_[at] = Slot{};
  --size_;
}

void KeyTable::clear() {
  slots_.clear();
  mask_ = size_ = 0;
}

void KeyTable::place(uint64_t hash, KeyedEntry* entry) {
  uint64_t at = hash & mask_;
  while (slots_[at].entry != nullptr) at = (at + 1) & mask_;
  slots_[at] = {hash, entry};
}

void KeyTable::grow() {
  std::vector<Slot> old = std::exchange(slots_, {});
  slots_.resize(old.empty() ? 64 : old.size() * 2);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old)
    if (slot.entry != nullptr) place(slot.hash, slot.entry);
}

}  // namespace sonde
