// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/names.h"

#include <algorithm>
#include <string_view>

#include "runtime/framework/provider.h"

namespace sonde {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; }

/// Of ASCII, and those that UTF-8 has from U+0080 to U+009F.
bool has_control(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::ranges::all_of(text, is_plain)) return false;
  for (size_t i = 0; i < text.size(); i++) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0)) return true;
  }
  return false;
}

/// The text in quotes, so that it can be shown: other bytes than those of ASCII's letters and signs as \xHH, and no more than its beginning.
std::string quoted(std::string_view text) {
  constexpr size_t kShown = 80;
  std::string shown = "\"";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view kHex = "0123456789abcdef";
    if (byte >= 0x20 && byte < 0x7f)
      shown += c;
    else
      shown += std::string("\\x") + kHex[byte / 16] + kHex[byte % 16];
  }
  return shown + (text.size() > kShown ? "...\"" : "\"");
}

}  // namespace

std::string fault_of_provider_name(const char* name) {
  const std::string_view text = name == nullptr ? "" : name;
  if (text.empty() || text.size() >= DTRACE_PROVNAMELEN) return "its name is empty, or has more than 63 bytes";
  if ((is_letter(text[0]) || text[0] == '_') && std::ranges::all_of(text, is_name_character)) return {};
  return "the name " + quoted(text) +
         " does not begin with a letter or _, or has more than letters, digits, _, - and .";
}

std::string fault_of_names(const char* module, const char* function, const char* name) {
  const std::string_view text = name == nullptr ? "" : name;
  if (text.empty() || text.size() >= DTRACE_NAMELEN)
    return "the name " + quoted(text) + " is empty, or has more than 63 bytes";
  if (!std::ranges::all_of(text, is_name_character))
    return "the name " + quoted(text) + " has more than letters, digits, _, - and .";
  if ((module == nullptr) != (function == nullptr)) return "of module and function, one is NULL, and one is not";
  if (module == nullptr) return {};
  if (std::string_view(module).size() >= DTRACE_MODNAMELEN)
    return "the module " + quoted(module) + " has more than 255 bytes";
  if (has_control(module)) return "the module " + quoted(module) + " has control characters";
  return has_control(function) ? "the function " + quoted(function) + " has control characters" : "";
}

}  // namespace sonde
