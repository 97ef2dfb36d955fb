// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of aggregations and associative arrays, as bytes
//
// A tuple of keys is encoded as one run of bytes, such that equal tuples are equal bytes. So hashing and comparing are
// one call each. Each key begins at a multiple of 8:
//
//   integer, pointer   8 bytes: the word
//   string             u32 length, the bytes, a NUL, zeros up to the next multiple of 8; length ~0: NULL
//   bytes              the bytes, padded with zeros
//   stack              u32 space, u32 count, the program counters
//   symbol             SymbolValue
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "runtime/program/value_type.h"

namespace sonde {

/// Encodes a stack, the inner `frames` of it at most; null: an empty one. Returns the end of what it has written.
uint8_t* put_stack(const StackValue* stack, uint32_t frames, uint8_t* to);

class KeyCodec {
 public:
  /// `frames`: maximal frames of a stack key; 0: kMaxFrames.
  KeyCodec(const std::vector<ValueType>& types, uint32_t strsize, uint32_t frames = 0);

  /// Bytes that encode() may write.
  uint32_t strsize() const { return strsize_; }
  uint64_t max_bytes() const { return max_bytes_; }

  /// Writes the keys at `to`, which is 8-byte aligned. Returns the end.
  uint8_t* encode(const uint64_t* keys, uint8_t* to) const;

  /// Converts encoded keys to words; those of strings, bytes, stacks and symbols point into `from`.
  void decode(const uint8_t* from, uint64_t* words) const;

  /// Returns < 0, 0 or > 0. Integers compare as unsigned numbers of their size, strings by bytes. Key `first` counts
  /// first, then the others in order.
  int compare(const uint8_t* a, const uint8_t* b, uint32_t first) const;

  /// Adds the spaces that stacks and symbols in an encoded tuple name.
  void add_spaces(const uint8_t* from, std::unordered_set<uint32_t>& spaces) const;

  uint32_t count() const { return static_cast<uint32_t>(fields_.size()); }

  static constexpr uint32_t kMaxFrames = 256;

 private:
  struct Field {
    ValueType::Kind kind;
    uint32_t size;
  };
  std::vector<Field> fields_;
  uint64_t max_bytes_ = 0;
  uint32_t strsize_;
  uint32_t frames_;
};

}  // namespace sonde
