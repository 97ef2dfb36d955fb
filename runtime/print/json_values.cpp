// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/json_values.h"

#include <cstring>

#include "runtime/base/check.h"
#include "runtime/format/append.h"
#include "runtime/print/plain_values.h"

namespace sonde {
namespace {

using Kind = ValueType::Kind;
using Layout = TypeLayout;

void json_integer(uint64_t word, uint64_t size, bool is_signed, JsonLine& line) {
  const auto bytes = static_cast<uint32_t>(size);
  is_signed ? line.number(extend_from_size(word, bytes)) : line.number(cut_to_size(word, bytes));
}

void json_enum(const Layout& type, uint64_t word, JsonLine& line) {
  const auto bytes = static_cast<uint32_t>(type.size);
  for (const auto& [value, name] : type.enumerators)
    if (cut_to_size(static_cast<uint64_t>(value), bytes) == cut_to_size(word, bytes)) return line.string(name);
  json_integer(word, bytes, type.is_signed, line);
}

void json_scalar(const Layout& type, uint64_t word, JsonLine& line) {
  switch (type.kind) {
    case Layout::Kind::Enum: return json_enum(type, word, line);
    case Layout::Kind::Float: return line.real(float_of(word, static_cast<uint32_t>(type.size)));
    case Layout::Kind::Pointer: return line.number(word);
    case Layout::Kind::Integer: return json_integer(word, type.size, type.is_signed, line);
    case Layout::Kind::Text:
    case Layout::Kind::Array:
    case Layout::Kind::Record: break;
  }
  SONDE_CHECK(!"a scalar");
}

/// A bit-field may begin late in its word: reads all bytes that it covers.
uint64_t bits_of(const Layout::Member& member, const uint8_t* bytes) {
  AggUnsignedWide word = 0;
  std::memcpy(&word, bytes + member.offset, (member.bit_offset + member.bit_width + 7) / 8);
  const uint32_t unused = 64 - member.bit_width;
  const uint64_t field = static_cast<uint64_t>(word >> member.bit_offset) << unused;
  return member.type->is_signed ? static_cast<uint64_t>(static_cast<int64_t>(field) >> unused) : field >> unused;
}

/// The members of an anonymous struct or union become members of the enclosing object.
void json_members(const Layout& type, const uint8_t* bytes, JsonLine& line) {
  for (const Layout::Member& member : type.members) {
    if (member.name.empty()) {
      if (member.type->kind == Layout::Kind::Record) json_members(*member.type, bytes + member.offset, line);
      continue;
    }
    line.key(member.name);
    if (member.bit_width != 0)
      json_scalar(*member.type, bits_of(member, bytes), line);
    else
      json_object(*member.type, bytes + member.offset, line);
  }
}

void json_array(const Layout& type, const uint8_t* bytes, JsonLine& line) {
  const Layout& element = *type.element;
  if (element.character) {
    const auto* text = reinterpret_cast<const char*>(bytes);
    return line.string({text, strnlen(text, type.size)});
  }
  line.open('[');
  const size_t count = line.most_of(type.count);
  for (size_t i = 0; i < count; ++i) json_object(element, bytes + i * element.size, line);
  line.close(']');
}

}  // namespace

void json_frames(const StackValue& stack, const FormatSettings& settings, JsonLine& line) {
  line.open('[');
  const size_t count = line.most_of(stack.count);
  for (uint32_t i = 0; i < count; ++i) line.string(frame_text(frame_of(stack, i, settings.names), settings.names));
  line.close(']');
}

void json_value(const ValueType& type, uint64_t word, const FormatSettings& settings, JsonLine& line) {
  switch (type.kind) {
    case Kind::Integer: return json_integer(word, type.size, type.is_signed, line);
    case Kind::Pointer: return line.number(cut_to_size(word, type.size));
    case Kind::String: return line.string(text_of(type, word, settings.strsize));
    case Kind::Bytes: return line.string(word == 0 ? "" : bytes_text(type, reinterpret_cast<const void*>(word)));
    case Kind::Float: return line.real(float_of(word, type.size));
    case Kind::Symbol:
      if (word == 0) return line.null();
      return line.string(format_symbol(*reinterpret_cast<const SymbolValue*>(word), settings));
    case Kind::Stack:
      if (word != 0) return json_frames(*reinterpret_cast<const StackValue*>(word), settings, line);
      line.open('[');
      return line.close(']');
  }
  SONDE_CHECK(false);
}

void json_object(const TypeLayout& type, const uint8_t* bytes, JsonLine& line) {
  switch (type.kind) {
    case Layout::Kind::Record:
      line.open('{');
      json_members(type, bytes, line);
      return line.close('}');
    case Layout::Kind::Array: return json_array(type, bytes, line);
    case Layout::Kind::Text: {
      const auto* text = reinterpret_cast<const char*>(bytes);
      return line.string({text, strnlen(text, type.size)});
    }
    case Layout::Kind::Integer:
    case Layout::Kind::Enum:
    case Layout::Kind::Pointer:
    case Layout::Kind::Float: return json_scalar(type, word_at(bytes, type.size), line);
  }
  SONDE_CHECK(false);
}

}  // namespace sonde
