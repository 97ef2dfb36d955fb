// SPDX-License-Identifier: GPL-3.0-or-later
// A pattern is compiled into tokens, and these into the cheapest test that means the same. An index tries a pattern on
// about 100,000 texts, and most patterns are a literal with a star at one end or both. Only a General pattern is
// matched token by token, and then its literal ends are compared first.
//
// The match by tokens needs no stack: when it fails, it returns to the last star and lets that star match one character
// more. The time is at worst length of the text times length of the pattern, for any number of stars.
#include "runtime/base/glob.h"

#include <string.h>

#include <algorithm>

namespace sonde {

Glob::Glob(std::string_view pattern) {
  parse(pattern);
  classify();
}

void Glob::parse(std::string_view pattern) {
  for (size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    if (c == '*') {
      if (tokens_.empty() || tokens_.back().type != Token::Type::Star) tokens_.push_back({Token::Type::Star});
      at++;
    } else if (c == '?') {
      tokens_.push_back({Token::Type::AnyOne});
      at++;
    } else if (c == '[' && parse_class(pattern, at)) {
      // done: `at` is behind the class
    } else {
      if (c == '\\' && at + 1 < pattern.size()) at++;
      tokens_.push_back({Token::Type::Literal, static_cast<unsigned char>(pattern[at])});
      at++;
    }
  }
}

/// Reads a class that begins at pattern[at]. False when its `]` is missing; then nothing has changed.
bool Glob::parse_class(std::string_view pattern, size_t& at) {
  size_t p = at + 1;
  const bool negated = p < pattern.size() && pattern[p] == '!';
  if (negated) p++;
  CharacterSet set;
  for (bool first = true; p < pattern.size() && (first || pattern[p] != ']'); first = false) {
    if (pattern[p] == '\\' && p + 1 < pattern.size()) p++;
    const auto low = static_cast<unsigned char>(pattern[p++]);
    auto high = low;
    if (p + 1 < pattern.size() && pattern[p] == '-' && pattern[p + 1] != ']') {
      p++;
      if (pattern[p] == '\\' && p + 1 < pattern.size()) p++;
      high = static_cast<unsigned char>(pattern[p++]);
    }
    for (unsigned c = low; c <= high; c++) set.set(c);
  }
  if (p >= pattern.size()) return false;
  sets_.push_back(negated ? ~set : set);
  tokens_.push_back({Token::Type::Class, 0, static_cast<uint32_t>(sets_.size() - 1)});
  at = p + 1;
  return true;
}

void Glob::classify() {
  const auto is_star = [](const Token& token) { return token.type == Token::Type::Star; };
  const bool head = !tokens_.empty() && is_star(tokens_.front());
  const bool tail = !tokens_.empty() && is_star(tokens_.back());
  if (tokens_.empty() || (tokens_.size() == 1 && head)) return;  // Any

  const size_t begin = head ? 1 : 0, end = tokens_.size() - (tail ? 1 : 0);
  for (size_t i = begin; i < end; i++) {
    if (tokens_[i].type != Token::Type::Literal) {
      kind_ = Kind::General;
      literal_.clear();
      return note_ends();
    }
    literal_ += static_cast<char>(tokens_[i].character);
  }
  kind_ = head ? (tail ? Kind::Infix : Kind::Suffix) : (tail ? Kind::Prefix : Kind::Exact);
}

/// Collects the literal ends of a general pattern: comparing them rejects most texts at little cost.
void Glob::note_ends() {
  const auto is_literal = [](const Token& token) { return token.type == Token::Type::Literal; };
  for (auto token = tokens_.begin(); is_literal(*token); ++token) prefix_ += static_cast<char>(token->character);
  for (auto token = tokens_.rbegin(); is_literal(*token); ++token) suffix_ += static_cast<char>(token->character);
  std::ranges::reverse(suffix_);
}

bool Glob::accepts(const Token& token, unsigned char character) const {
  switch (token.type) {
    case Token::Type::Literal: return token.character == character;
    case Token::Type::AnyOne: return true;
    case Token::Type::Class: return sets_[token.set].test(character);
    case Token::Type::Star: return false;
  }
  return false;
}

/// On failure only the last star is retried: a longer match of an earlier star would only leave less text for the rest.
bool Glob::matches_general(std::string_view text) const {
  if (!text.starts_with(prefix_) || !text.ends_with(suffix_)) return false;
  size_t t = 0, p = 0, star = SIZE_MAX, star_text = 0;
  while (t < text.size()) {
    if (p < tokens_.size() && tokens_[p].type == Token::Type::Star) {
      star = p++;
      star_text = t;
    } else if (p < tokens_.size() && accepts(tokens_[p], static_cast<unsigned char>(text[t]))) {
      p++;
      t++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < tokens_.size() && tokens_[p].type == Token::Type::Star) p++;
  return p == tokens_.size();
}

bool Glob::matches(std::string_view text) const {
  switch (kind_) {
    case Kind::Any: return true;
    case Kind::Exact: return text == literal_;
    case Kind::Prefix: return text.starts_with(literal_);
    case Kind::Suffix: return text.ends_with(literal_);
    case Kind::Infix: return memmem(text.data(), text.size(), literal_.data(), literal_.size()) != nullptr;
    case Kind::General: return matches_general(text);
  }
  return false;
}

}  // namespace sonde
