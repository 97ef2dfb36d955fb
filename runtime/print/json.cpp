// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "runtime/agg/snapshot.h"
#include "runtime/format/append.h"

namespace sonde {
namespace {

constexpr uint64_t kExact = (uint64_t{1} << 53) - 1;  // the largest integer n such that a double holds both n and n + 1

bool is_continuation(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

/// Length of the UTF-8 character at `at`; 0: invalid (overlong forms, surrogates, or beyond U+10FFFF, too).
size_t character_length(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
  if (length == 0) return 0;
  for (size_t i = 1; i < length; ++i)
    if (!is_continuation(text, at + i)) return 0;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
      (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

/// `text` cut to at most `most` bytes, between characters; between bytes where they are not UTF-8.
std::string_view cut_text(std::string_view text, size_t most) {
  constexpr size_t kLongestCharacter = 4;
  if (text.size() <= most) return text;
  size_t end = most;
  while (end != 0 && most - end < kLongestCharacter && is_continuation(text, end)) --end;
  return text.substr(0, is_continuation(text, end) ? most : end);
}

void append_escaped(char c, std::string& out) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
    append_format(out, "\\u%04x", static_cast<unsigned>(c));
  else
    out += c;
}

}  // namespace

bool append_utf8(std::string_view text, std::string& out, bool exact) {
  bool escaped = false;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_length(text, at);
    const bool would_mislead = exact && text[at] == '\\' && at + 1 < text.size() && text[at + 1] == 'x';
    if (length == 0 || would_mislead) {
      append_format(out, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[at])));
      escaped = true;
      ++at;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  return escaped;
}

size_t json_length(std::string_view text) {
  std::string out;
  JsonLine line(out, SIZE_MAX);
  const size_t before = out.size();
  line.string(text);
  return out.size() - before - 2;
}

std::string_view cut_for_json(std::string_view text, size_t most) {
  size_t fits = 0, above = text.size() + 1;
  while (above - fits > 1) {
    const size_t middle = fits + (above - fits) / 2;
    (json_length(cut_text(text, middle)) <= most ? fits : above) = middle;
  }
  return cut_text(text, fits);
}

void JsonLine::separate() {
  if (!first_ && !after_key_) out_ += ',';
  first_ = after_key_ = false;
}

JsonLine& JsonLine::key(std::string_view name) {
  string(name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

void JsonLine::string(std::string_view text) {
  separate();
  const std::string_view kept = cut_text(text, most_);
  cut_ |= kept.size() < text.size();
  out_ += '"';
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(kept, is_plain)) {
    out_ += kept;
  } else {
    std::string readable;
    escaped_ |= append_utf8(kept, readable, exact_);
    for (const char c : readable) append_escaped(c, out_);
  }
  out_ += '"';
}

void JsonLine::text_number(std::string_view digits, bool is_large) {
  separate();
  if (is_large) out_ += '"';
  out_ += digits;
  if (is_large) out_ += '"';
}

void JsonLine::number(int64_t value) { number(static_cast<AggWide>(value)); }
void JsonLine::number(uint64_t value) { number(static_cast<AggWide>(value)); }

void JsonLine::number(AggWide value) {
  constexpr auto kMost = static_cast<AggWide>(kExact);
  if (value < -kMost || value > kMost) return text_number(to_string(value), true);
  char digits[20];
  char* end = std::to_chars(std::begin(digits), std::end(digits), static_cast<int64_t>(value)).ptr;
  text_number({digits, end}, false);
}

void JsonLine::decimal(AggUnsignedWide value) { text_number(to_string(value), true); }

void JsonLine::time(uint64_t nanoseconds) { text_number(std::to_string(nanoseconds), false); }

void JsonLine::microseconds(uint64_t nanoseconds) {
  char digits[24];
  char* end = std::to_chars(std::begin(digits), std::end(digits), nanoseconds / 1000).ptr;
  *end++ = '.';
  const auto part = static_cast<unsigned>(nanoseconds % 1000);
  for (const unsigned unit : {100u, 10u, 1u}) *end++ = static_cast<char>('0' + part / unit % 10);
  text_number({digits, end}, false);
}

void JsonLine::real(double value) {
  if (!std::isfinite(value)) return null();
  std::string text;
  append_format(text, "%.17g", value);
  text_number(text, false);
}

void JsonLine::null() {
  separate();
  out_ += "null";
}

void JsonLine::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
}

void JsonLine::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
}

void JsonLine::close(char bracket) {
  out_ += bracket;
  first_ = false;
}

size_t JsonLine::most_of(size_t count) {
  const size_t most = std::max<size_t>(most_ / 16, 1);
  cut_ |= count > most;
  return std::min(count, most);
}

void JsonLine::finish() {
  if (escaped_ && exact_) key("esc").boolean(true);
  out_ += "}\n";
}

}  // namespace sonde
