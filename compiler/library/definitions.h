// SPDX-License-Identifier: GPL-3.0-or-later
// The names that a D text defines, found without parsing it
//
//   struct NAME {   union NAME ;   typedef ... NAME ;   } NAME ;   inline ... NAME =   inline ... NAME [
//
// A name that is found here but not defined costs one useless load; a name that is missed would be unknown to scripts.
// So this finds too many: members of unnamed structs, for example.
#pragma once

#include <string_view>

namespace sonde {

/// Calls `visit` with each name: of a struct both `struct x` and `x`. A name may come twice.
constexpr void each_definition(std::string_view text, const auto& visit) {
  constexpr auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::string_view before, last;  // the last two tokens
  bool is_typedef = false, is_inline = false;
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "/*") {
      at = text.find("*/", at);
      at = at == text.npos ? text.size() : at + 2;
      continue;
    }
    if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t') {
      at++;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_word(text[end])) end++;
    const std::string_view token = text.substr(at, end == at ? 1 : end - at);
    at += token.size();
    const char sign = is_word(token[0]) ? '\0' : token[0];
    const bool named = !last.empty() && is_word(last[0]);
    if ((sign == '{' || sign == ';') && named && (before == "struct" || before == "union")) {
      visit(std::string_view(before.data(), static_cast<size_t>(last.data() + last.size() - before.data())));
      visit(last);
    }
    if (sign == ';' && named && (before == "}" || (is_typedef && depth == 0))) visit(last);
    if ((sign == '=' || sign == '[') && named && is_inline) {
      visit(last);
      is_inline = false;
    }
    if (token == "typedef") is_typedef = true;
    if (token == "inline") is_inline = true;
    if (sign == '{') depth++;
    if (sign == '}') depth--;
    if (sign == ';' && depth == 0) is_typedef = is_inline = false;
    before = last;
    last = token;
  }
}

}  // namespace sonde
