// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/excerpt.h"

#include <algorithm>

namespace sonde {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr size_t kWidest = 400;  ///< bytes of a line that are shown

/// Blanks as wide as the first `column` bytes of `line`. Tabs are kept, so the caret is in place at any tab width.
std::string padding(std::string_view line, size_t column) {
  std::string out;
  for (size_t i = 0; i < column && i < line.size(); ++i)
    if ((line[i] & 0xc0) != 0x80) out += line[i] == '\t' ? '\t' : ' ';  // one column for a UTF-8 sequence
  return out;
}

/// The part of a long line that is shown: it begins and ends between characters.
std::string_view window(std::string_view line, size_t& column, size_t& end) {
  if (line.size() <= kWidest) return line;
  size_t begin = column > kWidest / 2 ? column - kWidest / 2 : 0;
  while (begin > 0 && (line[begin] & 0xc0) == 0x80) --begin;
  column -= begin;
  end = std::clamp(end - begin, column + 1, kWidest);
  return line.substr(begin, kWidest);
}

}  // namespace

std::string excerpt(std::string_view text, uint32_t begin, uint32_t end) {
  const size_t before = begin == 0 ? text.npos : text.rfind('\n', begin - 1);
  const size_t line_begin = before == text.npos ? 0 : before + 1;
  std::string_view line = text.substr(line_begin, text.find('\n', line_begin) - line_begin);
  size_t column = std::min<size_t>(begin - line_begin, line.size());
  size_t last = std::clamp<size_t>(end - line_begin, column + 1, std::max(line.size(), column + 1));
  line = window(line, column, last);
  const std::string caret = padding(line, column) + "^" + std::string(last - column - 1, '~');
  return std::string(kIndent) + std::string(line) + "\n" + std::string(kIndent) + caret + "\n";
}

}  // namespace sonde
