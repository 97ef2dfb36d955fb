// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/syscall/text.h"

#include <cstdio>

namespace sonde {
namespace {

std::string formatted(const char* format, unsigned long long value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

bool is_octal_digit(char c) { return c >= '0' && c <= '7'; }

void append_escaped(std::string& text, unsigned char c, bool digit_follows) {
  constexpr std::string_view kSpecial = "\"\\\n\t\r\v\f", kLetters = "\"\\ntrvf";
  if (c >= ' ' && c < 0x7f && c != '"' && c != '\\')
    text += static_cast<char>(c);
  else if (const size_t at = kSpecial.find(static_cast<char>(c)); at != kSpecial.npos)
    (text += '\\') += kLetters[at];
  else
    text += formatted(digit_follows ? "\\%03llo" : "\\%llo", c);
}

}  // namespace

std::string hex_text(uint64_t value) { return value == 0 ? "0" : formatted("0x%llx", value); }
std::string octal_text(uint64_t value) { return formatted("%#03llo", value); }
std::string pointer_text(uint64_t value) { return value == 0 ? "NULL" : hex_text(value); }

std::string quote(std::string_view bytes, bool cut, Escape escape) {
  std::string text = "\"";
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (escape == Escape::Hex)
      text += formatted("\\x%02llx", c);
    else
      append_escaped(text, c, i + 1 < bytes.size() && is_octal_digit(bytes[i + 1]));
  }
  return text + (cut ? "\"..." : "\"");
}

}  // namespace sonde
