// SPDX-License-Identifier: GPL-3.0-or-later
// A value without a format
//
// DTrace chooses a column by the type alone: an integer's width by its size, a string left-aligned, bytes as text if
// they are text, else as a dump. trace() and the keys of aggregations have columns of different widths. All widths here
// are DTrace's; none is ours to choose.
//
// Invariant: an integer is cut to its type's size, or sign-extended, before it is printed, because the word's upper
// bytes may contain anything.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/base/check.h"
#include "runtime/base/hex.h"
#include "runtime/format/append.h"
#include "runtime/format/format.h"

namespace sonde {

using Kind = ValueType::Kind;

void append_format(std::string& out, const char* format, ...) {
  char buffer[512];
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int length = std::vsnprintf(buffer, sizeof buffer, format, list);
  va_end(list);
  if (length < static_cast<int>(sizeof buffer)) {
    out.append(buffer, static_cast<size_t>(std::max(length, 0)));
  } else {
    size_t at = out.size();
    out.resize(at + static_cast<size_t>(length) + 1);
    std::vsnprintf(out.data() + at, static_cast<size_t>(length) + 1, format, again);
    out.resize(at + static_cast<size_t>(length));
  }
  va_end(again);
}

uint64_t cut_to_size(uint64_t word, uint32_t size) {
  return size >= 8 ? word : word & ((uint64_t{1} << (8 * size)) - 1);
}

std::string integer_text(const ValueType& type, uint64_t word) {
  return type.is_signed && type.kind == Kind::Integer ? std::to_string(extend_from_size(word, type.size))
                                                      : std::to_string(cut_to_size(word, type.size));
}

uint64_t word_at(const uint8_t* bytes, uint64_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, std::min<uint64_t>(size, sizeof word));
  return word;
}

int64_t extend_from_size(uint64_t word, uint32_t size) {
  if (size >= 8) return static_cast<int64_t>(word);
  unsigned shift = 64 - 8 * size;
  return static_cast<int64_t>(word << shift) >> shift;
}

std::string_view text_of(const ValueType& type, uint64_t word, uint32_t strsize) {
  if (word == 0) return {};
  const char* text = reinterpret_cast<const char*>(word);
  return {text, strnlen(text, type.kind == Kind::Bytes ? type.size : strsize)};
}

namespace {

/// Whether the bytes are an array of char with printable text, followed only by NULs.
bool is_text(const ValueType& type, uint64_t word) {
  if (type.type_name.find("char") == std::string::npos) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(word);
  uint32_t i = 0;
  while (i < type.size && bytes[i] != 0) {
    bool white = bytes[i] == '\n' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\b';
    if ((bytes[i] < ' ' || bytes[i] > '~') && !white) return false;
    ++i;
  }
  while (i < type.size)
    if (bytes[i++] != 0) return false;
  return true;
}

void trace_integer(const ValueType& type, uint64_t word, bool quiet, std::string& out) {
  const std::string text = integer_text(type, word);
  if (quiet) {
    out += text;
    return;
  }
  const int width = type.size >= 8 ? 19 : type.size == 4 ? 10 : type.size == 2 ? 5 : 3;
  append_format(out, " %*s", width, text.c_str());
}

void trace_string(std::string_view text, bool quiet, std::string& out) {
  if (quiet) {
    out += text;
  } else {
    append_format(out, "  %-33.*s", static_cast<int>(text.size()), text.data());
  }
}

void trace_bytes(const ValueType& type, uint64_t word, const FormatSettings& settings, std::string& out) {
  if (word == 0) return;
  if (!settings.raw_bytes && is_text(type, word))
    return trace_string(text_of(type, word, settings.strsize), settings.quiet, out);
  format_hex_dump(reinterpret_cast<const void*>(word), type.size, out);
}

}  // namespace

void format_hex_dump(const void* bytes, uint64_t size, std::string& out) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  out += "\n           ";
  for (char column : std::string_view("0123456789abcdef")) append_format(out, "  %c", column);
  out += "  0123456789abcdef\n";
  for (uint64_t row = 0; row < size; row += 16) {
    append_format(out, "%10llx:", static_cast<unsigned long long>(row));
    uint64_t end = std::min(size, row + 16);
    for (uint64_t i = row; i < end; ++i) append_format(out, " %02x", byte[i]);
    out.append(3 * (row + 16 - end) + 2, ' ');
    for (uint64_t i = row; i < end; ++i) out += byte[i] < ' ' || byte[i] > '~' ? '.' : static_cast<char>(byte[i]);
    out += '\n';
  }
}

std::string format_symbol(const SymbolValue& symbol, const FormatSettings& settings) {
  if (settings.names != nullptr) return settings.names->name(symbol.space, symbol.address, symbol.kind);
  return hex(symbol.address);
}

/// The pc of the innermost frame, and of one that a signal interrupted, is where it executes; that of any other is a
/// return address.
SymbolValue frame_of(const StackValue& stack, uint32_t index, SymbolNames* names) {
  const auto ends_handler = [&](uint64_t pc) {
    return names != nullptr && names->ends_signal_handler(stack.space, pc);
  };
  const bool at_pc = index == 0 || ends_handler(stack.pc[index]) || ends_handler(stack.pc[index - 1]);
  return {at_pc ? SymbolValue::UAddr : SymbolValue::UReturn, stack.space, stack.pc[index]};
}

void format_stack(const StackValue& stack, const FormatSettings& settings, std::string& out) {
  out += '\n';
  for (uint32_t i = 0; i < stack.count; ++i) {
    out.append(settings.stack_indent, ' ');
    out += format_symbol(frame_of(stack, i, settings.names), settings);
    out += '\n';
  }
}

void format_trace(const ValueType& type, uint64_t word, const FormatSettings& settings, std::string& out) {
  switch (type.kind) {
    case Kind::Integer:
    case Kind::Pointer: return trace_integer(type, word, settings.quiet, out);
    case Kind::String:
      if (settings.raw_bytes) {
        std::string bytes(text_of(type, word, settings.strsize));
        bytes.resize(settings.strsize + 1);
        return format_hex_dump(bytes.data(), bytes.size(), out);
      }
      return trace_string(text_of(type, word, settings.strsize), settings.quiet, out);
    case Kind::Bytes: return trace_bytes(type, word, settings, out);
    case Kind::Stack:
      if (word != 0) format_stack(*reinterpret_cast<const StackValue*>(word), settings, out);
      return;
    case Kind::Symbol:
      if (word != 0)
        append_format(out, "  %-50s", format_symbol(*reinterpret_cast<const SymbolValue*>(word), settings).c_str());
      return;
    case Kind::Float: return append_format(out, settings.quiet ? "%f" : " %19f", float_of(word, type.size));
  }
  SONDE_CHECK(false);
}

double float_of(uint64_t word, uint32_t size) {
  if (size == 4) {
    float value;
    auto low = static_cast<uint32_t>(word);
    std::memcpy(&value, &low, 4);
    return value;
  }
  double value;
  std::memcpy(&value, &word, 8);
  return value;
}

void format_key(const ValueType& type, uint64_t word, const FormatSettings& settings, std::string& out) {
  switch (type.kind) {
    case Kind::Integer:
    case Kind::Pointer: {
      int width = type.size >= 8 ? 16 : type.size == 4 ? 8 : type.size == 2 ? 5 : 3;
      // Like DTrace: an integer narrower than int prints unsigned, all others signed, whatever the type says.
      const int64_t value =
          type.size < 4 ? static_cast<int64_t>(cut_to_size(word, type.size)) : extend_from_size(word, type.size);
      return append_format(out, " %*lld", width, static_cast<long long>(value));
    }
    case Kind::String: {
      std::string_view text = text_of(type, word, settings.strsize);
      return append_format(out, "  %-50.*s", static_cast<int>(text.size()), text.data());
    }
    case Kind::Symbol:
      return append_format(out, "  %-50s",
                           format_symbol(*reinterpret_cast<const SymbolValue*>(word), settings).c_str());
    case Kind::Bytes:
      if (!settings.raw_bytes && is_text(type, word)) {
        std::string_view text = text_of(type, word, settings.strsize);
        return append_format(out, "  %-50.*s", static_cast<int>(text.size()), text.data());
      }
      return format_hex_dump(reinterpret_cast<const void*>(word), type.size, out);
    case Kind::Stack:
    case Kind::Float: return format_trace(type, word, settings, out);
  }
  SONDE_CHECK(false);
}

}  // namespace sonde
