// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/source/other_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "runtime/lang/functions.h"

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

constexpr std::string_view kBlanks = " \t\r\n";

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

/// The word that begins at `at`; empty: none does.
std::string_view word_at(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  return text.substr(at, end - at);
}

/// The word, or the one character, before the blanks before `at`.
std::string_view before(std::string_view text, size_t at) {
  const size_t last = at == 0 ? text.npos : text.find_last_not_of(kBlanks, at - 1);
  if (last == text.npos) return {};
  size_t begin = last;
  while (begin > 0 && is_letter(text[begin]) && is_letter(text[begin - 1])) --begin;
  return text.substr(begin, last + 1 - begin);
}

/// The first word of the statement, clause or declaration that `at` is in; empty if it is assigned to, or called with
/// success: then it is a name of the script.
std::string_view first_word(std::string_view text, size_t at) {
  const size_t end = at == 0 ? text.npos : text.find_last_of(";{}", at - 1);
  const size_t begin = text.find_first_not_of(kBlanks, end == text.npos ? 0 : end + 1);
  if (begin == text.npos || begin >= at) return {};
  const std::string_view word = word_at(text, begin);
  const size_t behind = text.find_first_not_of(kBlanks, begin + word.size());
  const bool is_name = behind != text.npos && std::string_view("=-+*/,.").find(text[behind]) != std::string_view::npos;
  return is_name ? std::string_view() : word;
}

bool is_type(std::string_view word) {
  constexpr std::array<std::string_view, 15> kTypes = {"auto",   "char",   "const", "double",   "float",
                                                       "int",    "long",   "short", "signed",   "static",
                                                       "string", "struct", "union", "unsigned", "void"};
  return std::ranges::find(kTypes, word) != kTypes.end() || (word.size() > 2 && word.ends_with("_t"));
}

/// The innermost brace that is open there; npos: none is.
size_t open_brace(std::string_view text, size_t at) {
  int closed = 0;
  for (size_t i = std::min(at, text.size()); i-- > 0;) {
    closed += text[i] == '}' ? 1 : text[i] == '{' ? -1 : 0;
    if (closed < 0) return i;
  }
  return text.npos;
}

/// Whether that brace is a clause's, not that of a struct.
bool is_in_body(std::string_view text, size_t at) {
  const size_t brace = open_brace(text, at);
  return brace != text.npos && !is_type(first_word(text, brace));
}

/// The last part of a path, which names a module.
std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string_view hint_on_other_word(OtherWord::Kind kind, std::string_view word) {
  const auto* row =
      std::ranges::find_if(kOtherWords, [&](const OtherWord& one) { return one.kind == kind && one.word == word; });
  return row == std::end(kOtherWords) ? std::string_view() : row->hint;
}

std::string_view hint_on_other_provider(std::string_view provider) {
  for (const OtherWord& row : kOtherWords) {
    if (row.kind != OtherWord::Kind::Provider) continue;
    const bool numbered = row.word.ends_with('*');
    const std::string_view name = numbered ? row.word.substr(0, row.word.size() - 1) : row.word;
    if (!provider.starts_with(name)) continue;
    if (provider.find_first_not_of(numbered ? "0123456789*" : "", name.size()) == provider.npos) return row.hint;
  }
  return {};
}

std::string hint_on_other_syntax(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  for (const OtherWord& row : kOtherWords) {
    if (row.kind != OtherWord::Kind::Operator) continue;
    const size_t from = at + 1 - std::min(at + 1, row.word.size());
    const size_t found = text.find(row.word, from);
    if (found <= at || (row.word == "." && before(text, at) == ".")) return std::string(row.hint);
  }
  const std::string_view last = before(text, at), first = first_word(text, at);
  for (const std::string_view word : {word_at(text, at), last, first})
    if (const auto hint = hint_on_other_word(OtherWord::Kind::Syntax, word); !hint.empty()) return std::string(hint);
  const bool calls = at < text.size() && text[at] == '(';
  if (std::ranges::find(kFunctions, last, &DFunction::name) != std::end(kFunctions) && !calls)
    return "it is a function: " + std::string(last) + "(...)";
  if (!is_type(word_at(text, at)) && !is_type(first)) return {};
  const bool ends_member = at < text.size() && text[at] == '}';
  if (!is_in_body(text, at) && (ends_member || !word_at(text, at).empty())) return "a ; is missing before it";
  if (is_in_body(text, at)) return "variables of a clause are not declared: write this->x = ...";
  return at < text.size() && text[at] == '=' ? "a declaration has no value: assign it in BEGIN { ... }" : "";
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
