// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnostics as the user reads them:
//
//   failed to compile script t.d: [D_SYNTAX] line 3: syntax error near ";"
//       syscall:::entry { @a = count(; }
//                                    ^
//       the ( is never closed
#include <algorithm>

#include "compiler/source/diagnostic.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr size_t kWidest = 400;           ///< bytes of a line that are shown
constexpr size_t kLongestMessage = 2000;  ///< bytes

/// Blanks as wide as `line` up to `column`: tabs stay, so that the caret stands right whatever a tab is.
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

std::string excerpt(const SourceText& source, const Place& place, SourceRange where) {
  std::string_view line = std::string_view(source.text).substr(place.line_begin, place.line_end - place.line_begin);
  size_t column = std::min<size_t>(where.begin - place.line_begin, line.size());
  size_t end = std::clamp<size_t>(where.end - place.line_begin, column + 1, std::max(line.size(), column + 1));
  line = window(line, column, end);
  std::string caret = padding(line, column) + "^" + std::string(end - column - 1, '~');
  return std::string(kIndent) + std::string(line) + "\n" + std::string(kIndent) + caret + "\n";
}

/// A name of a megabyte says no more than its first words.
std::string shortened(std::string message) {
  if (message.size() <= kLongestMessage) return message;
  message.resize(kLongestMessage);
  return message + "...";
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceText& source, bool tags) {
  SourceRange where = diagnostic.where;
  where.begin = std::min<uint32_t>(where.begin, static_cast<uint32_t>(source.text.size()));
  where.end = std::max(where.begin, where.end);
  Place place = place_of(source.text, where.begin);
  std::string tag = tags && !diagnostic.tag.empty() ? "[" + diagnostic.tag + "] " : "";
  std::string out;
  if (source.kind == SourceText::Kind::Script) {
    out = "failed to compile script " + source.name + ": " + tag;
  } else {
    out = "invalid probe specifier " + shortened(source.name) + ": " + tag;
    if (!diagnostic.context.empty() && source.library.empty()) out += diagnostic.context + ": ";
  }
  // cpp reads the script itself as /dev/stdin.
  const bool own = place.file.empty() || place.file == "/dev/stdin";
  const std::string& file = own ? source.library : place.file;
  if (!file.empty()) out += "\"" + file + "\", ";
  // What DTrace finds when it makes code has neither tag nor line.
  const bool has_line = !diagnostic.tag.empty() && (!file.empty() || source.kind == SourceText::Kind::Script);
  if (has_line) out += "line " + std::to_string(place.line) + ": ";
  out += shortened(diagnostic.message) + "\n";
  bool whole = diagnostic.where.begin == kEndOfText.begin;
  if (place.line_begin < place.line_end && !whole) out += excerpt(source, place, where);
  if (!diagnostic.hint.empty()) out += std::string(kIndent) + diagnostic.hint + "\n";
  return out;
}

}  // namespace sonde
