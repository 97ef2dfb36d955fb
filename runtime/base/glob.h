// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// One field of a probe description, compiled once: `*`, `?`, `[abc]`, `[a-z]`, `[!x]`, and `\c` for the character
/// itself. An empty field matches anything. A `[` without its `]` is an ordinary character.
class Glob {
 public:
  explicit Glob(std::string_view pattern);

  bool matches(std::string_view text) const;

  bool is_any() const { return kind_ == Kind::Any; }
  /// It matches exactly one text, literal().
  bool is_exact() const { return kind_ == Kind::Exact; }
  const std::string& literal() const { return literal_; }

 private:
  // Prefix, Suffix and Infix (`lit*`, `*lit`, `*lit*`) are the usual forms; General is everything else.
  enum class Kind : uint8_t { Any, Exact, Prefix, Suffix, Infix, General };
  struct Token {
    enum class Type : uint8_t { Literal, AnyOne, Class, Star };
    Type type;
    unsigned char character = 0;
    uint32_t set = 0;  ///< index into sets_
  };
  using CharacterSet = std::bitset<256>;

  void parse(std::string_view pattern);
  bool parse_class(std::string_view pattern, size_t& at);
  void classify();
  bool accepts(const Token& token, unsigned char character) const;
  void note_ends();
  bool matches_general(std::string_view text) const;

  Kind kind_ = Kind::Any;
  std::string literal_;
  std::string prefix_, suffix_;  ///< of General: what a matching text begins and ends with
  std::vector<Token> tokens_;
  std::vector<CharacterSet> sets_;
};

}  // namespace sonde
