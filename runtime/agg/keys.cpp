// SPDX-License-Identifier: GPL-3.0-or-later
// The layout in keys.h is implemented by max_bytes_, encode(), encoded_size() and compare_key(), which must agree.
//
// Invariant: equal tuples are equal bytes. So padding is always zero, and a text is cut at strsize before it is
// encoded. The order of keys is not the order of bytes, because words are little-endian: compare() goes by type,
// integers unsigned, as in DTrace.
#include "runtime/agg/keys.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/base/check.h"

namespace sonde {
namespace {

using Kind = ValueType::Kind;
constexpr uint32_t kNull = UINT32_MAX;

constexpr uint64_t padded(uint64_t bytes) { return (bytes + 7) & ~uint64_t{7}; }

uint32_t read_u32(const uint8_t* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

uint64_t read_u64(const uint8_t* from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

uint8_t* put_string(const char* text, uint32_t strsize, uint8_t* to) {
  if (text == nullptr) {
    uint64_t word = kNull;
    std::memcpy(to, &word, 8);
    return to + 8;
  }
  auto length = static_cast<uint32_t>(strnlen(text, strsize));
  uint8_t* end = to + padded(4 + uint64_t{length} + 1);
  std::memset(end - 8, 0, 8);
  std::memcpy(to, &length, 4);
  std::memcpy(to + 4, text, length);
  return end;
}

uint8_t* put_bytes(const void* from, uint32_t size, uint8_t* to) {
  uint64_t room = padded(size);
  if (room == 0) return to;
  std::memset(to + room - 8, 0, 8);
  if (from != nullptr)
    std::memcpy(to, from, size);
  else
    std::memset(to, 0, room);
  return to + room;
}

/// Bytes of an encoded key.
uint64_t encoded_size(Kind kind, uint32_t size, const uint8_t* at) {
  switch (kind) {
    case Kind::Integer:
    case Kind::Pointer:
    case Kind::Float: return 8;
    case Kind::String: {
      uint32_t length = read_u32(at);
      return length == kNull ? 8 : padded(4 + uint64_t{length} + 1);
    }
    case Kind::Bytes: return padded(size);
    case Kind::Stack: return 8 + 8 * uint64_t{read_u32(at + 4)};
    case Kind::Symbol: return sizeof(SymbolValue);
  }
  SONDE_CHECK(false);
}

int sign(int64_t n) { return n < 0 ? -1 : n > 0; }

int compare_strings(const uint8_t* a, const uint8_t* b) {
  uint32_t a_length = read_u32(a), b_length = read_u32(b);
  if (a_length == kNull || b_length == kNull) return sign((a_length != kNull) - (b_length != kNull));
  int order = std::memcmp(a + 4, b + 4, std::min(a_length, b_length));
  return order != 0 ? order : sign(int64_t{a_length} - int64_t{b_length});
}

int compare_words(const uint8_t* a, const uint8_t* b, uint64_t a_words, uint64_t b_words) {
  for (uint64_t i = 0; i < std::min(a_words, b_words); ++i) {
    uint64_t x = read_u64(a + 8 * i), y = read_u64(b + 8 * i);
    if (x != y) return x < y ? -1 : 1;
  }
  return sign(static_cast<int64_t>(a_words) - static_cast<int64_t>(b_words));
}

int compare_integers(uint64_t x, uint64_t y, uint32_t size) {
  const uint64_t mask = size >= 8 ? UINT64_MAX : (uint64_t{1} << (8 * size)) - 1;
  x &= mask;
  y &= mask;
  return x == y ? 0 : x < y ? -1 : 1;
}

int compare_key(Kind kind, uint32_t size, const uint8_t* a, const uint8_t* b) {
  switch (kind) {
    case Kind::Integer:
    case Kind::Pointer:
    case Kind::Float: return compare_integers(read_u64(a), read_u64(b), size);
    case Kind::String: return compare_strings(a, b);
    case Kind::Bytes: return std::memcmp(a, b, size);
    case Kind::Stack: return compare_words(a + 8, b + 8, read_u32(a + 4), read_u32(b + 4));
    case Kind::Symbol: return compare_integers(read_u64(a + 8), read_u64(b + 8), 8);
  }
  SONDE_CHECK(false);
}

}  // namespace

uint8_t* put_stack(const StackValue* stack, uint32_t frames, uint8_t* to) {
  uint32_t count = stack == nullptr ? 0 : std::min(stack->count, frames);
  uint32_t space = stack == nullptr ? 0 : stack->space;
  std::memcpy(to, &space, 4);
  std::memcpy(to + 4, &count, 4);
  if (count != 0) std::memcpy(to + 8, stack->pc, 8 * uint64_t{count});
  return to + 8 + 8 * uint64_t{count};
}

KeyCodec::KeyCodec(const std::vector<ValueType>& types, uint32_t strsize, uint32_t frames)
    : strsize_(strsize), frames_(frames == 0 ? kMaxFrames : std::min(frames, kMaxFrames)) {
  for (const ValueType& type : types) {
    fields_.push_back({type.kind, type.size});
    switch (type.kind) {
      case Kind::Integer:
      case Kind::Pointer:
      case Kind::Float: max_bytes_ += 8; break;
      case Kind::String: max_bytes_ += padded(4 + uint64_t{strsize} + 1); break;
      case Kind::Bytes: max_bytes_ += padded(type.size); break;
      case Kind::Stack: max_bytes_ += 8 + 8 * uint64_t{frames_}; break;
      case Kind::Symbol: max_bytes_ += sizeof(SymbolValue); break;
    }
  }
}

uint8_t* KeyCodec::encode(const uint64_t* keys, uint8_t* to) const {
  for (const Field& field : fields_) {
    uint64_t word = *keys++;
    switch (field.kind) {
      case Kind::Integer:
      case Kind::Pointer:
      case Kind::Float:
        std::memcpy(to, &word, 8);
        to += 8;
        break;
      case Kind::String: to = put_string(reinterpret_cast<const char*>(word), strsize_, to); break;
      case Kind::Bytes: to = put_bytes(reinterpret_cast<const void*>(word), field.size, to); break;
      case Kind::Stack: to = put_stack(reinterpret_cast<const StackValue*>(word), frames_, to); break;
      case Kind::Symbol: to = put_bytes(reinterpret_cast<const void*>(word), sizeof(SymbolValue), to); break;
    }
  }
  return to;
}

void KeyCodec::decode(const uint8_t* from, uint64_t* words) const {
  for (const Field& field : fields_) {
    switch (field.kind) {
      case Kind::Integer:
      case Kind::Pointer:
      case Kind::Float: *words = read_u64(from); break;
      case Kind::String: *words = read_u32(from) == kNull ? 0 : reinterpret_cast<uint64_t>(from + 4); break;
      case Kind::Bytes:
      case Kind::Stack:
      case Kind::Symbol: *words = reinterpret_cast<uint64_t>(from); break;
    }
    ++words;
    from += encoded_size(field.kind, field.size, from);
  }
}

void KeyCodec::add_spaces(const uint8_t* from, std::unordered_set<uint32_t>& spaces) const {
  for (const Field& field : fields_) {
    if (field.kind == Kind::Stack) spaces.insert(read_u32(from));
    if (field.kind == Kind::Symbol) spaces.insert(read_u32(from + offsetof(SymbolValue, space)));
    from += encoded_size(field.kind, field.size, from);
  }
}

int KeyCodec::compare(const uint8_t* a, const uint8_t* b, uint32_t first) const {
  int others = 0;
  for (uint32_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    int order = compare_key(field.kind, field.size, a, b);
    if (order != 0 && i == first) return order;
    if (order != 0 && others == 0) {
      others = order;
      if (first == 0 || first >= fields_.size() || i > first) return others;
    }
    a += encoded_size(field.kind, field.size, a);
    b += encoded_size(field.kind, field.size, b);
  }
  return others;
}

}  // namespace sonde
