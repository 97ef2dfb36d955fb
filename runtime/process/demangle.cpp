// SPDX-License-Identifier: GPL-3.0-or-later
// Rust's older scheme looks like C++: _ZN...E is a valid C++ symbol whose last part is a hash. So it is tried first;
// the form of the last part (17h and 16 hex digits) decides. Every other _Z is C++. The two other schemes have prefixes
// of their own.
//
// C++ needs the demangler that returns a name's parts: LLVM's plain one prints a template's return type, which is not
// wanted.
#include "runtime/process/demangle.h"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

namespace sonde {
namespace {

constexpr size_t kLongest = 4096;

bool g_linker_names = false;

/// The text, which LLVM allocated with malloc(); empty for null.
std::string taken(char* made) {
  const std::unique_ptr<char, decltype(&std::free)> text(made, &std::free);
  return text ? text.get() : "";
}

// ---- Rust's older scheme: _ZN4core3fmt5Write9write_fmt17h0123456789abcdefE -------------------------------------

struct Sign {
  std::string_view written;
  char meant;
};
constexpr auto kSigns = std::to_array<Sign>(
    {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'}, {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}});

bool is_hash(std::string_view part) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return part.size() == 17 && part[0] == 'h' && std::ranges::all_of(part.substr(1), is_digit);
}

/// The character that $...$ stands for; 0: none.
char sign_of(std::string_view written) {
  const auto known = std::ranges::find(kSigns, written, &Sign::written);
  if (known != kSigns.end()) return known->meant;
  unsigned code = 0;
  if (!written.starts_with('u')) return 0;
  const auto [end, error] = std::from_chars(written.data() + 1, written.data() + written.size(), code, 16);
  const bool printable = error == std::errc() && end == written.data() + written.size() && code >= 0x20 && code < 0x7f;
  return printable ? static_cast<char>(code) : '\0';
}

void append_part(std::string& text, std::string_view part) {
  if (part.starts_with("_$")) part.remove_prefix(1);
  while (!part.empty()) {
    const size_t end = part[0] == '$' ? part.find('$', 1) : part.npos;
    const char sign = end != part.npos ? sign_of(part.substr(1, end - 1)) : '\0';
    if (sign != 0) {
      text += sign;
      part.remove_prefix(end + 1);
    } else if (part.starts_with("..")) {
      text += "::";
      part.remove_prefix(2);
    } else {
      text += part[0];
      part.remove_prefix(1);
    }
  }
}

/// The name without its hash; none: the symbol is not of this scheme.
std::optional<std::string> read_old_rust(std::string_view symbol) {
  if (!symbol.starts_with("_ZN")) return std::nullopt;
  symbol.remove_prefix(3);
  std::string text;
  while (true) {
    size_t size = 0;
    const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), size);
    symbol.remove_prefix(static_cast<size_t>(end - symbol.data()));
    if (error != std::errc() || size == 0 || size > symbol.size()) return std::nullopt;
    const std::string_view part = symbol.substr(0, size);
    symbol.remove_prefix(size);
    const bool last = symbol.starts_with('E') && (symbol.size() == 1 || symbol[1] == '.');
    if (last) return is_hash(part) && !text.empty() ? std::optional(std::move(text)) : std::nullopt;
    if (!text.empty()) text += "::";
    append_part(text, part);
  }
}

// ---- C++ -------------------------------------------------------------------------------------------------------

/// What follows name and parameters in `all`: const, &. A template's return type is before the name, or around it.
std::string_view qualifiers_in(std::string_view all, std::string_view function) {
  const size_t at = all.find(function);
  const std::string_view rest = at == all.npos ? "" : all.substr(at + function.size());
  return rest.starts_with(' ') ? rest : "";
}

std::optional<SourceName> read_cxx(std::string_view symbol) {
  // A part or a copy that the compiler made: _Z1fv.cold, _Z1fv.constprop.0
  const size_t dot = symbol.find('.');
  const std::string plain(symbol.substr(0, dot));
  const std::string made = dot == symbol.npos ? "" : " (" + std::string(symbol.substr(dot)) + ")";
  static thread_local llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(plain.c_str())) return std::nullopt;
  if (!demangler.isFunction()) {
    const std::string text = taken(demangler.finishDemangle(nullptr, nullptr)) + made;
    return SourceName{text, text};
  }
  const std::string name = taken(demangler.getFunctionName(nullptr, nullptr));
  std::string whole = name + taken(demangler.getFunctionParameters(nullptr, nullptr));
  if (demangler.hasFunctionQualifiers())
    whole += qualifiers_in(taken(demangler.finishDemangle(nullptr, nullptr)), whole);
  return SourceName{whole + made, name + made};
}

}  // namespace

SourceName source_name(std::string_view symbol) {
  if (is_mangled(symbol) && symbol.size() <= kLongest) {
    if (auto rust = read_old_rust(symbol)) return {*rust, *rust};
    if (symbol[1] == 'Z') {
      if (auto cxx = read_cxx(symbol)) return std::move(*cxx);
    } else if (std::string text; llvm::nonMicrosoftDemangle(symbol, text)) {
      return {text, text};
    }
  }
  return {std::string(symbol), std::string(symbol)};
}

std::string shown_name(std::string_view symbol) {
  return g_linker_names ? std::string(symbol) : source_name(symbol).whole;
}

void show_linker_names() { g_linker_names = true; }

}  // namespace sonde
