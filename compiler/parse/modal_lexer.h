// SPDX-License-Identifier: GPL-3.0-or-later
// The lexer's modes
//
//   Top  --- { --->  Body         until its }
//        --- / --->  Predicate    until a / that cannot be a division
//        -- word ->  Declaration  until its ;       (word: a keyword, or an identifier before another word)
//
// Text at Top is descriptions, in the other modes it is Code. A / closes a predicate, and is not a division, if it is
// followed by {, ; or the end, or by a word that continues like a description.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parse/scanner.h"
#include "compiler/source/diagnostic.h"

namespace sonde {

class ModalLexer {
 public:
  using IsType = std::function<bool(std::string_view)>;

  /// `script`: a type and a star begin a declaration, not a description.
  ModalLexer(const std::string& text, bool script, const IsType& is_type, Diagnostics& diagnostics);

  LexedToken next();
  /// From the next one on; the last has the type EOF.
  std::vector<LexedToken> all();

  /// Where declarations begin: offsets of their first tokens, rising.
  const std::vector<size_t>& declarations() const { return declarations_; }

 private:
  enum class Region : uint8_t { Top, Predicate, Body, Declaration };

  LexedToken next_written_token();
  void top_token(LexedToken& token);
  void code_token(LexedToken& token);
  void open_bracket(const LexedToken& token);
  void close_bracket(LexedToken& token, char opener);
  void end_region();
  bool starts_declaration(const LexedToken& token) const;
  bool closes_predicate(size_t after) const;
  size_t skip_blanks(size_t at) const;
  size_t skip_word(size_t at) const;
  void complain(std::string_view tag, const LexedToken& token, std::string message, std::string_view hint = {});

  const std::string& text_;
  bool script_;
  const IsType& is_type_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;  ///< behind the last token
  Region region_ = Region::Top;
  std::vector<char> open_;
  /// The parser and the checker are recursive: refuses text that would nest too deeply.
  void limit_depth(const LexedToken& token);

  void count_elses(size_t type);

  uint32_t operators_ = 0;          ///< in this statement
  uint32_t chained_ = 0;            ///< = and ? in this statement
  uint32_t steps_ = 0;              ///< of the open statement, by depth of braces
  std::vector<uint32_t> elses_{0};  ///< of the statement that is open, by depth of braces
  uint32_t all_elses_ = 0;          ///< their sum
  bool statement_ended_ = false;    ///< by the previous token: an else would continue it
  uint32_t questions_ = 0;          ///< ? without their : at depth 0 of a predicate
  std::optional<LexedToken> held_;  ///< behind a SEMICOLON that is not written
  bool statement_open_ = false;     ///< of a body: a } would end it
  std::vector<size_t> declarations_;
  bool in_typedef_ = false;
  std::string_view last_name_;  ///< outside of brackets: what a typedef names
  std::set<std::string_view> typedefs_;
};

/// The token type of a keyword, or 0.
size_t keyword(std::string_view word);

}  // namespace sonde
