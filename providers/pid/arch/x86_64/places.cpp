// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/arch/x86_64/places.h"

#include <algorithm>
#include <iterator>

namespace sonde::pid {

CType resolved(CTypes& types, CTypeId id, bool* realigned) {
  CType type = types.type(id);
  for (int i = 0; i < kDeepest && type.kind == CType::Kind::Typedef; i++) {
    if (realigned != nullptr && type.alignment != 0) *realigned = true;
    type = types.type(type.target);
  }
  return type;
}

namespace {

/// A record that has room between its members, or behind the last one, is not packed.
Sized sized_record(CTypes& types, const CType& type, int depth) {
  Sized out{type.size, std::max<uint64_t>(type.alignment, 1)};
  uint64_t end = 0;
  bool has_room = false;
  for (const CMember& member : type.members) {
    const Sized one = sized(types, member.type, depth + 1);
    const uint64_t at = member.bit_offset / 8;
    has_room = has_room || at > end;
    end = std::max(end, member.bit_width != 0 ? (member.bit_offset + member.bit_width + 7) / 8 : at + one.size);
    out.alignment = std::max({out.alignment, member.alignment, one.alignment});
    out.may_be_packed = out.may_be_packed || one.may_be_packed;
  }
  has_room = has_room || type.size > end;
  if (type.size % out.alignment != 0) return {type.size};  // it is packed
  const bool asked = type.alignment == out.alignment;
  out.may_be_packed = !asked && (out.may_be_packed || !has_room) && out.alignment > 1;
  return out;
}

}  // namespace

Sized sized(CTypes& types, CTypeId id, int depth) {
  const CType type = resolved(types, id);
  if (depth > kDeepest) return {};
  switch (type.kind) {
    case CType::Kind::Array: {
      const Sized element = sized(types, type.target, depth + 1);
      uint64_t size = 0;
      if (__builtin_mul_overflow(element.size, type.count, &size) || size > kLargest) size = kLargest + 1;
      return {size, type.vector ? std::max<uint64_t>(size, 1) : element.alignment, element.may_be_packed};
    }
    case CType::Kind::Struct:
    case CType::Kind::Union: return sized_record(types, type, depth);
    default: {
      const uint64_t unit = type.complex || type.name == kMemberPointer ? type.size / 2 : type.size;
      return {type.size, std::max<uint64_t>(std::max(unit, type.alignment), 1)};
    }
  }
}

namespace {

std::string register_text(uint8_t number, uint64_t size) {
  static constexpr const char* kNames[][4] = {
      {"rax", "eax", "ax", "al"},      {"rdx", "edx", "dx", "dl"},      {"rcx", "ecx", "cx", "cl"},
      {"rbx", "ebx", "bx", "bl"},      {"rsi", "esi", "si", "sil"},     {"rdi", "edi", "di", "dil"},
      {"rbp", "ebp", "bp", "bpl"},     {"rsp", "esp", "sp", "spl"},     {"r8", "r8d", "r8w", "r8b"},
      {"r9", "r9d", "r9w", "r9b"},     {"r10", "r10d", "r10w", "r10b"}, {"r11", "r11d", "r11w", "r11b"},
      {"r12", "r12d", "r12w", "r12b"}, {"r13", "r13d", "r13w", "r13b"}, {"r14", "r14d", "r14w", "r14b"},
      {"r15", "r15d", "r15w", "r15b"}};
  if (number >= std::size(kNames)) return "%rip";
  return std::string("%") + kNames[number][size == 1 ? 3 : size == 2 ? 2 : size == 4 ? 1 : 0];
}

std::string signed_text(int64_t value) { return (value < 0 ? "" : "+") + std::to_string(value); }

std::string part_text(const sonde_location& part) {
  const std::string bytes = std::to_string(part.size) + (part.size == 1 ? " byte" : " bytes");
  switch (part.kind) {
    case SONDE_LOCATION_REGISTER: return register_text(part.base, part.size);
    case SONDE_LOCATION_VECTOR: return "%xmm" + std::to_string(part.base);
    case SONDE_LOCATION_CONSTANT: return "the constant " + std::to_string(part.value);
    case SONDE_LOCATION_MEMORY:
      if (part.base == kStackPointer) return "stack, CFA" + signed_text(part.value - kReturnAddress) + ", " + bytes;
      return "at " + (part.value != 0 ? std::to_string(part.value) : "") + "(" + register_text(part.base, 8) + "), " +
             bytes;
    case SONDE_LOCATION_BEHIND:
      return "at the address in the stack, CFA" + signed_text(part.value - kReturnAddress) + ", " + bytes;
    default: return "?";
  }
}

}  // namespace

ValuePlace described(std::vector<sonde_location> parts, uint64_t size) {
  std::string text;
  for (const sonde_location& part : parts) {
    if (part.kind == SONDE_LOCATION_CONSTANT && parts.size() > 1) continue;  // padding
    text += (text.empty() ? "" : " ") + part_text(part);
  }
  return {std::move(parts), std::move(text), size};
}

sonde_location location(sonde_location_kind kind, uint8_t argument, uint8_t base, int64_t value, uint64_t at,
                        uint64_t size) {
  return {static_cast<uint8_t>(kind),  0,    argument, base, SONDE_NO_REGISTER, 0, 0, static_cast<uint32_t>(at),
          static_cast<uint32_t>(size), value};
}

/// Bytes of a value that are not passed.
sonde_location padding(uint8_t argument, uint64_t at, uint64_t size) {
  return location(SONDE_LOCATION_CONSTANT, argument, 0, 0, at, size);
}

}  // namespace sonde::pid
