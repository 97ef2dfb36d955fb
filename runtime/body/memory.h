// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that bodies use: scratch, and the buffers of variables.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace sonde {

/// Memory of one clause: allocated piece by piece, freed all at once.
class Scratch {
 public:
  /// Has at least `bytes`, and behind its end `slack` more bytes that may be read.
  Scratch(uint64_t bytes, uint64_t slack);

  void reset() { used_ = 0; }
  /// Allocates `bytes`, zeroed and 8-byte aligned, behind the last piece; null if they do not fit. 0 bytes: where the
  /// next piece will be.
  uint8_t* take(uint64_t bytes);

  uint64_t capacity() const { return size_; }
  uint64_t begin() const { return reinterpret_cast<uint64_t>(base_.get()); }
  /// The end of the allocated part.
  uint64_t end() const { return begin() + used_; }

 private:
  std::unique_ptr<uint8_t[]> base_;
  uint64_t size_;
  uint64_t used_ = 0;
};

/// Buffers of variables, allocated from slabs. There are few slabs, so checking whether an address is in one is fast.
class BufferPool {
 public:
  /// From any byte of a buffer, `slack` bytes can be read.
  explicit BufferPool(uint64_t slack) : slack_(slack) {}

  /// Zeroed.
  uint8_t* take(uint32_t bytes);
  void give_back(uint8_t* buffer, uint32_t bytes);
  /// Whether [address, address + size) lies in a slab.
  bool holds(uint64_t address, uint64_t size) const;
  /// Bytes from `address` to the end of its slab; 0: it is in none.
  uint64_t reach(uint64_t address) const;

 private:
  struct Slab {
    std::unique_ptr<uint8_t[]> memory;
    uint64_t size;
  };
  void add_slab(uint32_t rounded, std::vector<uint8_t*>& free);

  uint64_t slack_;
  std::vector<Slab> slabs_;
  std::unordered_map<uint32_t, std::vector<uint8_t*>> free_;
};

}  // namespace sonde
