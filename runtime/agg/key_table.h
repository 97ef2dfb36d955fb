// SPDX-License-Identifier: GPL-3.0-or-later
// A hash table of entries that carry their own keys
//
// Open addressing with linear probing. A slot has hash and entry, so most mismatches are found without following the
// pointer. The table does not own its entries.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace sonde {

/// An element: its words, then the encoded key.
struct KeyedEntry {
  uint64_t hash;
  uint32_t key_bytes;
  uint32_t key_at;  ///< index into words[]
  uint64_t words[];

  const uint8_t* key() const { return reinterpret_cast<const uint8_t*>(words + key_at); }
  int64_t* data() { return reinterpret_cast<int64_t*>(words); }
  const int64_t* data() const { return reinterpret_cast<const int64_t*>(words); }
};

/// Hash of an encoded key.
uint64_t hash_key(const uint8_t* key, uint64_t bytes);

class KeyTable {
 public:
  KeyedEntry* find(const uint8_t* key, uint64_t bytes, uint64_t hash) const {
    if (slots_.empty()) return nullptr;
    for (uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.entry == nullptr) return nullptr;
      if (slot.hash == hash && slot.entry->key_bytes == bytes && same(slot.entry->key(), key, bytes)) return slot.entry;
    }
  }
  /// The entry's key must not be in the table.
  void insert(KeyedEntry* entry);
  void erase(KeyedEntry* entry);
  void clear();
  uint64_t size() const { return size_; }
  /// Bytes of the slots.
  uint64_t bytes() const { return slots_.size() * sizeof(Slot); }

  template <typename Visit>
  void each(Visit visit) const {
    for (const Slot& slot : slots_)
      if (slot.entry != nullptr) visit(slot.entry);
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    KeyedEntry* entry = nullptr;
  };
  /// Keys are multiples of 8 bytes.
  static bool same(const uint8_t* a, const uint8_t* b, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i += 8) {
      uint64_t x, y;
      std::memcpy(&x, a + i, 8);
      std::memcpy(&y, b + i, 8);
      if (x != y) return false;
    }
    return true;
  }
  void place(uint64_t hash, KeyedEntry* entry);
  void grow();

  std::vector<Slot> slots_;
  uint64_t mask_ = 0;
  uint64_t size_ = 0;
};

}  // namespace sonde
