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
#include "runtime/base/excerpt.h"

namespace sonde {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr size_t kLongestMessage = 2000;  ///< bytes
constexpr size_t kLongestSpecifier = 60;  ///< the excerpt below shows the place

/// Cuts a long message: a name of a megabyte is no more useful than its beginning.
std::string shortened(std::string message) {
  if (message.size() <= kLongestMessage) return message;
  message.resize(kLongestMessage);
  return message + "...";
}

/// The first line of a text of -n, cut: the reason comes behind it.
std::string beginning(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() > kLongestSpecifier) {
    line.resize(kLongestSpecifier);
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xc0) == 0x80)
      line.pop_back();  // a letter of several bytes
    if (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80) != 0) line.pop_back();
  }
  return line.size() < text.size() ? line + "..." : line;
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
    out = "invalid probe specifier " + beginning(source.name) + ": " + tag;
    if (!diagnostic.context.empty() && source.library.empty()) out += diagnostic.context + ": ";
  }
  // cpp reads the script itself as /dev/stdin.
  const bool own = place.file.empty() || place.file == "/dev/stdin";
  const std::string& file = own ? source.library : place.file;
  if (!file.empty()) out += "\"" + file + "\", ";
  // DTrace's code generator reports errors with neither tag nor line.
  const bool has_line = !diagnostic.tag.empty() && (!file.empty() || source.kind == SourceText::Kind::Script);
  if (has_line) out += "line " + std::to_string(place.line) + ": ";
  out += shortened(diagnostic.message) + "\n";
  bool whole = diagnostic.where.begin == kEndOfText.begin;
  if (place.line_begin < place.line_end && !whole) out += excerpt(source.text, where.begin, where.end);
  if (!diagnostic.hint.empty()) out += std::string(kIndent) + diagnostic.hint + "\n";
  return out;
}

}  // namespace sonde
