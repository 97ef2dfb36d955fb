// SPDX-License-Identifier: GPL-3.0-or-later
// One mistake, one message
//
// An error ends the statement or the declaration that it is in (guarded()), and the next one
// is checked. The names in one that failed are remembered (unsure): it may have been their definition, so a later use
// is not reported as unknown. If a description of a clause was refused, a statement that needs the type of args[n] ends
// without a message.
#include "compiler/check/context.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sonde {
namespace {

/// Calls `take` for each word of `text` that can be a name; the word for an aggregation begins with @.
template <typename Take>
void for_each_name(std::string_view text, Take take) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t i = 0; i < text.size();) {
    size_t begin = i++;
    if (!is_word(text[begin]) && text[begin] != '@') continue;
    while (i < text.size() && is_word(text[i])) ++i;
    std::string_view name = text.substr(begin, i - begin);
    if (name != "self" && name != "this") take(name);
  }
}

std::string_view part_of(const std::string& text, SourceRange where) {
  size_t begin = std::min<size_t>(where.begin, text.size());
  return std::string_view(text).substr(begin, std::max(where.end, where.begin) - where.begin);
}

/// A name is not reported as unknown if the statement that should define it has failed.
bool follows_from_another(const CheckContext& cx, std::string_view tag, SourceRange where) {
  if (!is_unknown_name(tag)) return false;
  bool found = false;
  for_each_name(part_of(cx.source.text, where),
                [&](std::string_view name) { found = found || cx.unsure.contains(name); });
  return found;
}

/// A header that cpp included may declare what D declares, too: D's declaration is kept.
bool is_known_to_headers(const CheckContext& cx, std::string_view tag, SourceRange where) {
  return (tag == "D_DECL_IDRED" || tag == "D_DECL_TYPERED") && cx.in_header(where);
}

}  // namespace

bool is_unknown_name(std::string_view tag) {
  constexpr std::array<std::string_view, 5> kUnknown = {"D_CLEAR_AGGBAD", "D_IDENT_UNDEF", "D_NORMALIZE_AGGBAD",
                                                        "D_TRUNC_AGGBAD", "D_VAR_UNDEF"};
  return std::ranges::find(kUnknown, tag) != kUnknown.end();
}

void CheckContext::fail(std::string_view tag, SourceRange where, std::string message, std::string hint) {
  if (!follows_from_another(*this, tag, here(where)) && !is_known_to_headers(*this, tag, where))
    diagnostics.report(tag, here(where), std::move(message), std::move(hint));
  throw Refused{};
}

void CheckContext::remember_names(SourceRange where) {
  for_each_name(part_of(source.text, where), [this](std::string_view name) { unsure.emplace(name); });
}

/// cpp reads the script itself as /dev/stdin.
bool CheckContext::in_header(SourceRange where) const {
  if (!world.options.flag("cpp")) return false;
  const std::string file = place_of(source.text, here(where).begin).file;
  return !file.empty() && file != "/dev/stdin";
}

uint32_t CheckContext::line_of(SourceRange where) {
  last_place = place_of(source.text, here(where).begin, std::move(last_place));
  return last_place.line;
}

}  // namespace sonde
