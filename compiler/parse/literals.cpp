// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/literals.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sonde {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

struct Suffix {
  bool is_unsigned = false;
  uint32_t longs = 0;
  bool valid = true;
};

Suffix read_suffix(std::string_view text) {
  Suffix suffix;
  std::string low;
  for (char c : text) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 8> kSuffixes = {"", "u", "l", "ll", "ul", "lu", "ull", "llu"};
  suffix.valid = std::ranges::find(kSuffixes, low) != kSuffixes.end();
  suffix.is_unsigned = low.find('u') != std::string::npos;
  suffix.longs = static_cast<uint32_t>(std::ranges::count(low, 'l'));
  return suffix;
}

IntegerLiteral failure(std::string tag, std::string message) {
  IntegerLiteral literal;
  literal.error_tag = std::move(tag);
  literal.error = std::move(message);
  return literal;
}

}  // namespace

IntegerLiteral read_integer(std::string_view text) {
  bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  uint64_t radix = hex ? 16 : text[0] == '0' ? 8 : 10;
  size_t begin = hex ? 2 : 0;
  size_t end = begin;
  while (end < text.size() && (hex ? digit_of(text[end]) >= 0 : std::isdigit(static_cast<unsigned char>(text[end]))))
    ++end;
  Suffix suffix = read_suffix(text.substr(end));
  if (!suffix.valid || end == begin) return failure("D_SYNTAX", "syntax error near \"" + std::string(text) + "\"");
  IntegerLiteral literal;
  for (char c : text.substr(begin, end - begin)) {
    auto digit = static_cast<uint64_t>(digit_of(c));
    if (digit >= radix) return failure("D_INT_DIGIT", "constant " + std::string(text) + " contains invalid digit " + c);
    if (__builtin_mul_overflow(literal.value, radix, &literal.value) ||
        __builtin_add_overflow(literal.value, digit, &literal.value))
      return failure("D_INT_OFLOW", "constant " + std::string(text) + " results in integer overflow");
  }
  // The first of int, unsigned int (only octal and hex, or u), long, unsigned long that holds it.
  bool decimal = radix == 10;
  if (suffix.longs == 0 && !suffix.is_unsigned && literal.value <= INT32_MAX) return literal;
  literal.is_signed = false;
  if (suffix.longs == 0 && (suffix.is_unsigned || !decimal) && literal.value <= UINT32_MAX) return literal;
  literal.size = 8;
  literal.is_signed = !suffix.is_unsigned && literal.value <= INT64_MAX;
  return literal;
}

std::string read_escapes(std::string_view inner) {
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\\"";
  std::string out;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\' || i + 1 == inner.size()) {
      out += inner[i];
      continue;
    }
    char c = inner[++i];
    size_t letter = kLetters.find(c);
    if (letter != std::string_view::npos) {
      out += kValues[letter];
    } else if (c >= '0' && c <= '7') {
      int value = 0;
      size_t end = std::min(inner.size(), i + 3);
      for (; i < end && inner[i] >= '0' && inner[i] <= '7'; ++i) value = value * 8 + (inner[i] - '0');
      --i;
      out += static_cast<char>(value);
    } else if (c == 'x' && i + 1 < inner.size() && digit_of(inner[i + 1]) >= 0) {
      int value = 0;
      for (; i + 1 < inner.size() && digit_of(inner[i + 1]) >= 0; ++i) value = value * 16 + digit_of(inner[i + 1]);
      out += static_cast<char>(value);
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

bool is_identifier(std::string_view word) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '`'; };
  return !word.empty() && !std::isdigit(static_cast<unsigned char>(word[0])) && std::ranges::all_of(word, is_part);
}

}  // namespace sonde
