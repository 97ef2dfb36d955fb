// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/source/prepare.h"

#include <cctype>

namespace sonde {
namespace {

class Preparer {
 public:
  Preparer(const std::string& text, Diagnostics& diagnostics) : diagnostics_(diagnostics) { out_.text = text; }

  PreparedText run() {
    if (out_.text.starts_with("\xef\xbb\xbf")) blank(0, 3);  // a byte order mark
    bool line_start = true;                                  // nothing but blanks since the newline
    while (at_ < out_.text.size()) {
      char c = out_.text[at_];
      if (line_start && c == '#')
        control_line();
      else if (c == '/' && next() == '*')
        comment();
      else if (c == '"' || c == '\'')
        literal(c);
      else
        ++at_;
      line_start = c == '\n' || (line_start && std::isspace(static_cast<unsigned char>(c)));
    }
    return std::move(out_);
  }

 private:
  char next() const { return at_ + 1 < out_.text.size() ? out_.text[at_ + 1] : '\0'; }

  void blank(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (out_.text[i] != '\n') out_.text[i] = ' ';
  }

  void control_line() {
    size_t begin = at_;
    size_t end = begin;
    for (;; ++end) {  // a backslash continues the line
      end = std::min(out_.text.find('\n', end), out_.text.size());
      if (end == out_.text.size() || end == begin || out_.text[end - 1] != '\\') break;
    }
    const size_t words_end = out_.text.find_last_not_of(" \t", end - 1) + 1;
    const bool bare = out_.text.compare(begin, words_end - begin, "#pragma") == 0;
    out_.open = end == out_.text.size() && out_.text[end - 1] == '\\';
    if (out_.open || (bare && end == out_.text.size()))
      diagnostics_.report("D_SYNTAX", range(begin, end), "end-of-file encountered before end of control line");
    out_.controls.push_back({range(begin, end), out_.text.substr(begin, end - begin)});
    blank(begin, end);
    at_ = end;
  }

  void comment() {
    size_t begin = at_;
    size_t close = out_.text.find("*/", begin + 2);
    if (close == std::string::npos) {
      diagnostics_.report("D_SYNTAX", range(begin, begin + 2), "end-of-file encountered before matching */");
      close = out_.text.size();
      out_.open = true;
    } else {
      close += 2;
    }
    blank(begin, close);
    at_ = close;
  }

  void literal(char quote) {
    for (++at_; at_ < out_.text.size() && out_.text[at_] != '\n'; ++at_) {
      if (out_.text[at_] == '\\' && next() != '\n')
        ++at_;
      else if (out_.text[at_] == quote)
        break;
    }
    if (at_ < out_.text.size() && out_.text[at_] != '\n') ++at_;
  }

  static SourceRange range(size_t begin, size_t end) {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  Diagnostics& diagnostics_;
  PreparedText out_;
  size_t at_ = 0;
};

/// Reads `#line N "f"` and `# N "f"`. False when the line is something else.
bool read_line_control(std::string_view line, uint32_t& number, std::string& file) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '#') return false;
  at = line.find_first_not_of(" \t", at + 1);
  for (std::string_view word : {"pragma", "D", "line"}) {
    if (at == std::string_view::npos || !line.substr(at).starts_with(word)) continue;
    at = line.find_first_not_of(" \t", at + word.size());
  }
  if (at == std::string_view::npos || !std::isdigit(static_cast<unsigned char>(line[at]))) return false;
  number = 0;
  for (; at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])); ++at)
    number = number * 10 + static_cast<uint32_t>(line[at] - '0');
  size_t open = line.find('"', at);
  size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
  if (close != std::string_view::npos) file = line.substr(open + 1, close - open - 1);
  return true;
}

}  // namespace

PreparedText prepare(const std::string& text, Diagnostics& diagnostics) { return Preparer(text, diagnostics).run(); }

Place place_of(const std::string& text, uint32_t offset, Place near) {
  if (offset > text.size()) offset = static_cast<uint32_t>(text.size());
  Place place = near.line_begin <= offset ? std::move(near) : Place{};
  uint32_t begin = place.line_begin;
  for (;;) {
    size_t found = text.find('\n', begin);
    auto end = static_cast<uint32_t>(found == std::string::npos ? text.size() : found);
    if (offset <= end || found == std::string::npos) {
      place.line_begin = begin;
      place.line_end = end;
      return place;
    }
    uint32_t number = 0;
    if (read_line_control(std::string_view(text).substr(begin, end - begin), number, place.file))
      place.line = number;
    else
      ++place.line;
    begin = end + 1;
  }
}

}  // namespace sonde
