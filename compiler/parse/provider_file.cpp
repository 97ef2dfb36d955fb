// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/provider_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "DParser.h"
#include "antlr4-runtime.h"
#include "compiler/parse/modal_lexer.h"
#include "compiler/parse/scanner.h"
#include "compiler/source/prepare.h"

namespace sonde {
namespace {

using P = antlr::DParser;

class ProviderFileReader {
 public:
  explicit ProviderFileReader(std::string& text) : text_(text) {
    LexedToken token;
    do {
      token = scan_code(text_, token.end);
      if (token.type == P::IDENTIFIER)
        if (const size_t type = keyword(spelling(token)); type != 0) token.type = type;
      tokens_.push_back(token);
    } while (token.type != antlr4::Token::EOF);
  }

  /// Notes the words that can only be types, and ends providers by a ;.
  void run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      count(i);
      if (tokens_[i].type == P::IDENTIFIER && i > 0 && is_type(i)) types_.insert(std::string(spelling(tokens_[i])));
    }
  }

  const std::set<std::string, std::less<>>& types() const { return types_; }

 private:
  std::string_view spelling(const LexedToken& token) const {
    return std::string_view(text_).substr(token.begin, token.end - token.begin);
  }

  template <typename... Types>
  bool any(size_t i, Types... types) const {
    return i < tokens_.size() && ((tokens_[i].type == static_cast<size_t>(types)) || ...);
  }

  void count(size_t i) {
    if (any(i, P::PROVIDER) && braces_ == 0) in_provider_ = true;
    parentheses_ += any(i, P::LPAREN);
    parentheses_ -= any(i, P::RPAREN) && parentheses_ > 0;
    braces_ += any(i, P::LBRACE);
    if (!any(i, P::RBRACE) || braces_ == 0) return;
    parentheses_ = 0;
    if (--braces_ == 0 && std::exchange(in_provider_, false) && !any(i + 1, P::SEMICOLON)) end_by_semicolon(tokens_[i]);
  }

  /// All other bytes keep their places.
  void end_by_semicolon(const LexedToken& brace) {
    if (brace.end == text_.size())
      text_ += ';';
    else if (std::isspace(static_cast<unsigned char>(text_[brace.end])))
      text_[brace.end] = ';';
  }

  /// The word begins a member or an argument. An argument may be a type alone.
  bool is_type(size_t i) const {
    const bool in_arguments = in_provider_ && parentheses_ > 0;
    if (!in_arguments) return braces_ > 0 && any(i - 1, P::LBRACE, P::SEMICOLON) && any(i + 1, P::IDENTIFIER, P::STAR);
    return any(i - 1, P::LPAREN, P::COMMA, P::CONST, P::VOLATILE, P::RESTRICT) &&
           any(i + 1, P::IDENTIFIER, P::STAR, P::COMMA, P::RPAREN, P::CONST, P::VOLATILE, P::LBRACKET);
  }

  std::string& text_;
  std::vector<LexedToken> tokens_;
  std::set<std::string, std::less<>> types_;
  size_t braces_ = 0, parentheses_ = 0;
  bool in_provider_ = false;
};

/// Any other line that begins with # is for some other reader, or a remark, as libvirt's "# file: src/x.c".
bool is_for_cpp(std::string_view line) {
  constexpr std::array<std::string_view, 9> kDirectives = {"define", "undef", "include", "ifdef", "ifndef",
                                                           "if",     "elif",  "else",    "endif"};
  const size_t begin = std::min(line.find_first_not_of(" \t", 1), line.size());
  const size_t end = std::min(line.find_first_of(" \t(\"<\r/", begin), line.size());
  return std::ranges::find(kDirectives, line.substr(begin, end - begin)) != kDirectives.end();
}

}  // namespace

SyntaxTree parse_provider_file(const std::string& text, Diagnostics& diagnostics) {
  PreparedText prepared = prepare(text, diagnostics);
  for (const ControlLine& line : prepared.controls)
    if (is_for_cpp(line.text)) diagnostics.warn(line.where, "this line is ignored", "-C runs cpp, which reads it");
  ProviderFileReader reader(prepared.text);
  reader.run();
  const ParserQuestions questions{[&](std::string_view name) { return reader.types().contains(name); },
                                  [](std::string_view) { return std::nullopt; }};
  return parse(prepared.text, true, questions, diagnostics);
}

}  // namespace sonde
