// SPDX-License-Identifier: GPL-3.0-or-later
// One value with a conversion of printf()
//
// Numbers, except with a bare %d, go to snprintf() with a newly built format: the script's flags, width and precision,
// with the size and letter of the value that is passed. So snprintf() never reads an argument of a wrong type.
//
// Texts do not go there: they may lack a NUL, and a precision of 0 means none, as in DTrace.
//
// Invariant: the value's type decides what is printed, the letter only how: %d of a string prints the string, %s of an
// integer prints the number.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <iterator>

#include "runtime/base/check.h"
#include "runtime/format/append.h"
#include "runtime/format/format.h"

namespace sonde {
namespace {

using Kind = ValueType::Kind;

/// A conversion without its size and letter.
struct Spec {
  std::string flags;
  int width;
  int precision;
};

bool has(const Spec& spec, char flag) { return spec.flags.find(flag) != std::string::npos; }

std::string text_of_spec(const Spec& spec, const char* size_and_letter) {
  std::string text = "%" + spec.flags;
  if (spec.width >= 0) text += std::to_string(spec.width);
  if (spec.precision >= 0) text += "." + std::to_string(spec.precision);
  return text + size_and_letter;
}

template <typename Value>
void print_as(const Spec& spec, const char* size_and_letter, Value value, std::string& out) {
  std::string format = text_of_spec(spec, size_and_letter);
  char buffer[256];
  int length = std::snprintf(buffer, sizeof buffer, format.c_str(), value);
  if (length < static_cast<int>(sizeof buffer)) {
    out.append(buffer, static_cast<size_t>(std::max(length, 0)));
    return;
  }
  std::string large(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), format.c_str(), value);
  out.append(large, 0, static_cast<size_t>(length));
}

/// Like %s: a precision above 0 cuts the text, the width pads it.
void print_text(const Spec& spec, std::string_view text, std::string& out) {
  if (spec.precision > 0) text = text.substr(0, static_cast<size_t>(spec.precision));
  size_t pad = spec.width > 0 && text.size() < static_cast<size_t>(spec.width)
                   ? static_cast<size_t>(spec.width) - text.size()
                   : 0;
  if (!has(spec, '-')) out.append(pad, ' ');
  out += text;
  if (has(spec, '-')) out.append(pad, ' ');
}

/// `2026 Nov 20 10:14:05` and `Fri, 20 Nov 2026 10:37:51 UTC`.
std::string time_text(char letter, int64_t ns) {
  time_t seconds = ns / 1'000'000'000;
  tm parts{};
  localtime_r(&seconds, &parts);
  char buffer[128];
  size_t length =
      std::strftime(buffer, sizeof buffer, letter == 'Y' ? "%Y %b %e %H:%M:%S" : "%a, %d %b %Y %H:%M:%S %Z", &parts);
  return {buffer, length};
}

bool signed_integer(const ValueType& type) { return type.kind == Kind::Integer && type.is_signed; }

/// The common case: %d without flags, width or precision.
void print_bare(const ValueType& type, uint64_t word, std::string& out) {
  char digits[20];
  char* const end = std::end(digits);
  const char* last = signed_integer(type) ? std::to_chars(digits, end, extend_from_size(word, type.size)).ptr
                                          : std::to_chars(digits, end, cut_to_size(word, type.size)).ptr;
  out.append(digits, static_cast<size_t>(last - digits));
}

void print_integer(char letter, const Spec& spec, const ValueType& type, uint64_t word, std::string& out) {
  const bool is_bare = spec.flags.empty() && spec.width < 0 && spec.precision < 0;
  if (is_bare && letter == 'd') return print_bare(type, word, out);
  if ((letter == 'd' || letter == 'i') && signed_integer(type))
    return print_as(spec, "lld", static_cast<long long>(extend_from_size(word, type.size)), out);
  const char size_and_letter[] = {'l', 'l', letter == 'd' || letter == 'i' ? 'u' : letter, '\0'};
  print_as(spec, size_and_letter, static_cast<unsigned long long>(cut_to_size(word, type.size)), out);
}

std::string address_text(const ValueType& type, uint64_t word, const FormatSettings& settings) {
  if (type.kind == Kind::Symbol)
    return word == 0 ? "0x0" : format_symbol(*reinterpret_cast<const SymbolValue*>(word), settings);
  uint64_t address = cut_to_size(word, type.size);
  if (address == 0) return "0x0";
  return format_symbol({SymbolValue::UAddr, settings.space, address}, settings);
}

void print_string(char letter, const Spec& spec, const ValueType& type, uint64_t word, const FormatSettings& settings,
                  std::string& out) {
  if (type.kind == Kind::Symbol) return print_text(spec, address_text(type, word, settings), out);
  if (type.kind != Kind::String && type.kind != Kind::Bytes) return print_integer('d', spec, type, word, out);
  std::string_view text = text_of(type, word, settings.strsize);
  if (letter == 'S') return print_text(spec, escaped(text), out);
  print_text(spec, text, out);
}

}  // namespace

std::string escaped(std::string_view text) {
  constexpr std::string_view kSpecial("\a\b\f\n\r\t\v\\\0", 9), kLetters = "abfnrtv\\0";
  std::string out;
  for (char c : text) {
    if (const size_t at = kSpecial.find(c); at != kSpecial.npos)
      (out += '\\') += kLetters[at];
    else if (c >= ' ' && c <= '~')
      out += c;
    else
      append_format(out, "\\%03o", static_cast<unsigned char>(c));
  }
  return out;
}

void format_conversion(const Conversion& conversion, int width, int precision, const ValueType& type, uint64_t word,
                       const FormatSettings& settings, std::string& out) {
  Spec spec{conversion.flags, width, precision};
  if (type.kind == Kind::Stack) {
    if (word != 0) format_stack(*reinterpret_cast<const StackValue*>(word), settings, out);
    return;
  }
  switch (conversion.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (type.kind == Kind::Symbol || type.kind == Kind::String)
        return print_string('s', spec, type, word, settings, out);
      return print_integer(conversion.letter, spec, type, word, out);
    case 'p': return print_integer('x', spec, type, word, out);
    case 'c': {
      char c = static_cast<char>(word);
      return print_text({spec.flags, width, -1}, {&c, 1}, out);
    }
    case 'C': {
      char c = static_cast<char>(word);
      return print_text({spec.flags, width, -1}, escaped({&c, 1}), out);
    }
    case 's':
    case 'S': return print_string(conversion.letter, spec, type, word, settings, out);
    case 'a':
    case 'A': return print_text(spec, address_text(type, word, settings), out);
    case 'Y':
    case 'T': return print_text(spec, time_text(conversion.letter, static_cast<int64_t>(word)), out);
    case 'e':
    case 'f':
    case 'g':
    case 'E':
    case 'G': {
      const char letter[] = {conversion.letter, '\0'};
      return print_as(spec, letter, float_of(word, type.size), out);
    }
    case 'k': return format_trace(type, word, settings, out);
    default: SONDE_CHECK(false);
  }
}

void format_sized(const Conversion& conversion, int width, int precision, const ValueType& type, uint64_t word,
                  const FormatSettings& settings, std::string& out) {
  if (!conversion.width_argument || width >= 0)
    return format_conversion(conversion, width, precision, type, word, settings, out);
  Conversion left = conversion;
  left.flags += '-';
  format_conversion(left, -width, precision, type, word, settings, out);
}

int number_of_columns(uint64_t word) { return std::max(static_cast<int32_t>(word), -INT32_MAX); }

void format_printf(std::span<const Conversion> format, std::span<const ValueType> types, const uint64_t* words,
                   const FormatSettings& settings, std::string& out) {
  size_t at = 0;
  auto next_int = [&] {
    SONDE_CHECK(at < types.size());
    return number_of_columns(words[at++]);
  };
  for (const Conversion& conversion : format) {
    out += conversion.literal;
    if (conversion.letter == 0) continue;
    const int width = conversion.width_argument ? next_int() : conversion.width;
    const int precision = conversion.precision_argument ? next_int() : conversion.precision;
    SONDE_CHECK(at < types.size());
    format_sized(conversion, width, precision, types[at], words[at], settings, out);
    ++at;
  }
}

}  // namespace sonde
