// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/source/other_words.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace sonde {
namespace {

/// What the stars of `pattern` match; none: `text` does not match. A star matches up to the next field, the last one
/// the rest.
std::optional<std::vector<std::string_view>> match(std::string_view pattern, std::string_view text) {
  std::vector<std::string_view> found;
  while (!pattern.empty()) {
    const size_t star = pattern.find('*');
    if (star == pattern.npos) return pattern == text ? std::optional(found) : std::nullopt;
    if (!text.starts_with(pattern.substr(0, star))) return std::nullopt;
    text.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    const size_t length = pattern.empty() ? text.size() : text.find(':');
    if (length == 0 || length == text.npos) return std::nullopt;
    found.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return found;
}

/// The last part of a path, which names a module.
std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string_view hint_on_other_word(OtherWord::Kind kind, std::string_view word) {
  const auto* row =
      std::ranges::find_if(kOtherWords, [&](const OtherWord& one) { return one.kind == kind && one.word == word; });
  return row == std::end(kOtherWords) ? std::string_view() : row->hint;
}

std::string hint_on_other_probe(std::string_view description) {
  for (const OtherWord& row : kOtherWords) {
    if (row.kind != OtherWord::Kind::Probe) continue;
    const auto stars = match(row.word, description);
    if (!stars) continue;
    std::string hint(row.hint);
    for (size_t i = 0; i < stars->size(); ++i) {
      const size_t at = hint.find("$" + std::to_string(i + 1));
      if (at != hint.npos) hint.replace(at, 2, base_name((*stars)[i]));
    }
    return hint;
  }
  return {};
}

std::string hint_on_other_probe(std::string_view text, size_t at) {
  constexpr std::string_view kEnds = " \t\r\n,{";
  const size_t before = at == 0 ? text.npos : text.find_last_of(kEnds, at - 1);
  const size_t begin = before == text.npos ? 0 : before + 1;
  return hint_on_other_probe(text.substr(begin, text.find_first_of(kEnds, begin) - begin));
}

}  // namespace sonde
