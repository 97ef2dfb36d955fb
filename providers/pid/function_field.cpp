// SPDX-License-Identifier: GPL-3.0-or-later
// may_match() runs before the demangler, and has only the symbol. Invariant: it may accept what does not match, but
// never rejects what does. So it uses only what the symbol is certain to contain: the beginning of the name if that is
// not encoded, and a word of the pattern that no demangler makes up (kUnwritten lists those that it does).
#include "providers/pid/function_field.h"

#include <array>
#include <charconv>

#include "runtime/process/demangle.h"

namespace sonde::pid {
namespace {

/// Words in demangled names that the symbol abbreviates or does not have.
constexpr std::string_view kUnwritten =
    "std allocator basic_string string char_traits istream ostream iostream operator const volatile void bool char "
    "wchar_t signed "
    "unsigned short int long __int128 float double char8_t char16_t char32_t decltype auto nullptr_t nullptr true "
    "false new delete "
    "co_await anonymous namespace lambda unnamed abi non virtual thunk to covariant return guard variable for thread "
    "local wrapper "
    "initialization routine transaction clone typename template requires noexcept throw sizeof alignof restrict "
    "i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize f32 f64 str as dyn mut fn unsafe extern closure shim impl";

constexpr auto kDefaults = std::to_array<std::string_view>({",std::allocator<", ",std::char_traits<", ",std::less<",
                                                            ",std::hash<", ",std::equal_to<", ",std::default_delete<"});

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_glob(char c) { return c == '*' || c == '?' || c == '['; }

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ') out += c;
  return out;
}

/// The position after the bracket that closes the one before `at`; npos: it is not closed.
size_t behind_closing(std::string_view text, size_t at) {
  for (int open = 1; at < text.size(); at++) {
    open += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
    if (open == 0) return at + 1;
  }
  return text.npos;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) text.replace(at, what.size(), by);
}

/// Shortens std::vector<int,std::allocator<int>> to std::vector<int>, and a string's long name to std::string. `text` has no blanks.
std::string without_defaults(std::string text) {
  for (const std::string_view argument : kDefaults) {
    for (size_t at = 0; (at = text.find(argument, at)) != text.npos;) {
      const size_t end = behind_closing(text, at + argument.size());
      if (end == text.npos) break;
      text.erase(at, end - at);
    }
  }
  replace_all(text, "std::__cxx11::", "std::");
  replace_all(text, "std::basic_string<char>", "std::string");
  return text;
}

std::string literal_prefix(std::string_view pattern) {
  std::string prefix;
  for (size_t i = 0; i < pattern.size() && !is_glob(pattern[i]); i++) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) i++;
    prefix += pattern[i];
  }
  return prefix;
}

/// Whether a word may be two whose blank was left out, one of which the symbol abbreviates: operatornew, unsignedlong.
bool may_be_two(std::string_view word) {
  for (size_t begin = 0; begin < kUnwritten.size();) {
    const size_t end = std::min(kUnwritten.find(' ', begin), kUnwritten.size());
    const std::string_view one = kUnwritten.substr(begin, end - begin);
    if (word.starts_with(one) || word.ends_with(one)) return true;
    begin = end + 1;
  }
  return false;
}

/// The longest word of the pattern that the symbol must contain; empty: none is certain.
std::string written_word(std::string_view pattern) {
  std::string_view best;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size();) {
    if (pattern[i] == '[') in_class = true;
    if (pattern[i] == ']') in_class = false;
    if (pattern[i] == '\\') i++;
    const size_t begin = i;
    while (i < pattern.size() && is_word(pattern[i])) i++;
    const std::string_view word = pattern.substr(begin, i - begin);
    if (!in_class && word.size() > best.size() && kUnwritten.find(word) == kUnwritten.npos && !may_be_two(word))
      best = word;
    if (i == begin) i++;
  }
  return std::string(best);
}

/// The beginning of the source name of `symbol`; empty: only the demangler knows.
std::string_view leading_name(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return {};
  symbol.remove_prefix(2);
  if (symbol.starts_with('N')) symbol.remove_prefix(std::min(symbol.find_first_not_of("rVKRO", 1), symbol.size()));
  if (symbol.starts_with('L')) symbol.remove_prefix(1);
  if (symbol.starts_with("St")) return "std::";
  size_t size = 0;
  const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), size);
  if (error != std::errc() || size > static_cast<size_t>(symbol.data() + symbol.size() - end)) return {};
  const std::string_view name(end, size);
  return name.starts_with("_GLOBAL_") || name.find('$') != name.npos || name.find('.') != name.npos ? "" : name;
}

}  // namespace

FunctionField::FunctionField(std::string_view pattern)
    : written_(pattern),
      symbol_(pattern),
      pattern_(without_blanks(pattern)),
      source_(pattern_),
      prefix_(literal_prefix(pattern_)),
      word_(written_word(pattern)) {}

bool FunctionField::may_match(std::string_view symbol) const {
  const std::string_view begin = leading_name(symbol);
  const size_t both = std::min(begin.size(), prefix_.size());
  return begin.substr(0, both) == std::string_view(prefix_).substr(0, both) &&
         (word_.empty() || symbol.find(word_) != symbol.npos);
}

/// A [ may be part of the name: name[abi:cxx11].
bool FunctionField::matches_source(std::string name) const {
  name = without_blanks(name);
  if (name == pattern_ || source_.matches(name)) return true;
  if (name.find("std::") == name.npos) return false;
  name = without_defaults(std::move(name));
  return name == pattern_ || source_.matches(name);
}

bool FunctionField::matches(const std::string& symbol) const {
  if (symbol_.matches(symbol) || symbol == written_) return true;
  if (!is_mangled(symbol) || !may_match(symbol)) return false;
  SourceName name = source_name(symbol);
  return matches_source(std::move(name.bare)) ||
         (pattern_.find('(') != pattern_.npos && matches_source(std::move(name.whole)));
}

}  // namespace sonde::pid
