// SPDX-License-Identifier: GPL-3.0-or-later
// Lexes the whole text, marks the names of types, then parses
//
// Whether `(foo) - 1` is a cast depends on what foo is. The parser cannot ask, so names of types, and parentheses before
// types, are marked in its tokens beforehand: names that are known, those that the text typedefs, and words in positions
// where only a type can be.
//
// A correct text is parsed once, in SLL mode. A wrong one is parsed again, item by item and in LL mode, so that each
// clause and each declaration reports its first error.
#include "compiler/parse/parser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <new>
#include <set>

#include "DParser.h"
#include "antlr4-runtime.h"
#include "compiler/parse/modal_lexer.h"
#include "compiler/parse/token_source.h"
#include "compiler/parse/tree_builder.h"
#include "compiler/source/other_words.h"

namespace sonde {
namespace {

using P = antlr::DParser;

class TypeMarker {
 public:
  TypeMarker(std::vector<LexedToken>& tokens, const std::string& text, const ParserQuestions& questions,
             const std::vector<size_t>& declarations)
      : text_(text), questions_(questions), declarations_(declarations), tokens_(tokens) {}

  void run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (is(i, P::TYPEDEF)) note_typedef(i);
      if (is(i, P::IDENTIFIER) && is_type_here(i)) set_type(i, P::TYPE_NAME);
      if (begins_type(i) && i > 0 && is(i - 1, P::LPAREN) && !is_called(i - 1)) set_type(i - 1, P::TYPE_OPEN);
      note_parenthesis(i);
      note_brace(i);
    }
  }

 private:
  bool is(size_t i, size_t type) const { return i < tokens_.size() && tokens_[i].type == type; }
  template <typename... Types>
  bool any(size_t i, Types... types) const {
    return (is(i, types) || ...);
  }

  void set_type(size_t i, size_t type) { tokens_[i].type = type; }

  bool begins_type(size_t i) const {
    return any(i, P::TYPE_NAME, P::STRUCT, P::UNION, P::ENUM, P::CONST, P::VOLATILE, P::RESTRICT, P::VOID, P::CHAR,
               P::SHORT, P::INT, P::LONG, P::FLOAT, P::DOUBLE, P::SIGNED, P::UNSIGNED, P::STRING);
  }

  void note_parenthesis(size_t i) {
    if (is(i, P::LPAREN)) open_.push_back(i);
    if (!is(i, P::RPAREN) || open_.empty()) return;
    if (is(open_.back(), P::TYPE_OPEN)) end_of_type_ = i;
    open_.pop_back();
  }

  void note_brace(size_t i) {
    const bool of_record = i > 0 && (any(i - 1, P::STRUCT, P::UNION) || (i > 1 && any(i - 2, P::STRUCT, P::UNION)));
    if (is(i, P::LBRACE)) records_.push_back(of_record);
    if (is(i, P::RBRACE) && !records_.empty()) records_.pop_back();
  }

  /// A member of a struct or union begins here.
  bool begins_member(size_t i) const {
    return !records_.empty() && records_.back() && any(i - 1, P::LBRACE, P::SEMICOLON) &&
           any(i + 1, P::IDENTIFIER, P::STAR);
  }

  /// The parenthesis is behind what can be called, or declared as a function: f(int), but not (int)(char)
  bool is_called(size_t i) const {
    if (i > 1 && is(i - 2, P::PROBE)) return true;  // probe size_t(int), whatever its name means elsewhere
    return i > 0 && i - 1 != end_of_type_ && any(i - 1, P::IDENTIFIER, P::RPAREN, P::RBRACKET, P::AGGREGATION, P::IF);
  }

  std::string_view spelling(size_t i) const {
    return std::string_view(text_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }

  /// A typedef names the last identifier outside of brackets before the ; or , (for function pointers: the first in
  /// parentheses).
  void note_typedef(size_t i) {
    int depth = 0;
    std::string name;
    for (++i; i < tokens_.size(); ++i) {
      if (any(i, P::LBRACE, P::LBRACKET)) ++depth;
      if (any(i, P::RBRACE, P::RBRACKET)) --depth;
      if (depth > 0) continue;
      if (is(i, P::IDENTIFIER) && !any(i + 1, P::STAR, P::IDENTIFIER)) name = spelling(i);
      if (any(i, P::COMMA, P::SEMICOLON, P::LPAREN) && !name.empty()) typedefs_.insert(name);
      if (is(i, P::SEMICOLON)) return;
      if (is(i, P::LPAREN) && !name.empty()) ++depth;
      if (is(i, P::RPAREN)) depth = std::max(0, depth - 1);
    }
  }

  bool is_type_here(size_t i) const {
    if (i > 0 && any(i - 1, P::DOT, P::ARROW, P::ENUM, P::STRUCT, P::UNION)) return false;
    if (i > 1 && is(i - 1, P::STAR) && is(i - 2, P::LPAREN) && is(i + 1, P::RPAREN)) return false;  // int (*name)(int)
    std::string_view name = own_type_name(spelling(i));
    bool known = typedefs_.contains(name) || questions_.is_type(name);
    // After a type and before the end of a declarator, it is the declared name, whatever it meant before.
    bool declared = i > 0 &&
                    any(i - 1, P::TYPE_NAME, P::INT, P::CHAR, P::LONG, P::SHORT, P::UNSIGNED, P::SIGNED, P::FLOAT,
                        P::DOUBLE, P::STRING, P::RBRACE, P::STAR, P::VOID, P::IDENTIFIER) &&
                    any(i + 1, P::SEMICOLON, P::COMMA, P::LBRACKET, P::ASSIGN, P::COLON, P::LBRACE);
    if (known) return !declared;
    if (std::ranges::binary_search(declarations_, tokens_[i].begin)) return true;  // foo_t x;
    if (i > 0 && any(i - 1, P::SELF, P::THIS, P::TYPEDEF, P::EXTERN, P::INLINE, P::CONST, P::VOLATILE, P::TRANSLATOR) &&
        any(i + 1, P::IDENTIFIER, P::STAR))
      return true;
    if (begins_member(i)) return true;
    if (i > 1 && is(i - 1, P::LPAREN) && is(i - 2, P::OFFSETOF)) return true;
    // f(x) y calls f, and a ; is missing.
    return i > 0 && is(i - 1, P::LPAREN) && !(i > 1 && any(i - 2, P::IF, P::IDENTIFIER)) && cast_follows(i);
  }

  /// Whether it can only be a cast: `(foo *)` and `(foo) x`.
  bool cast_follows(size_t i) const {
    size_t at = i + 1;
    while (is(at, P::STAR)) ++at;
    if (!is(at, P::RPAREN)) return false;
    return at > i + 1 || any(at + 1, P::IDENTIFIER, P::INTEGER, P::TEXT, P::SELF, P::THIS, P::MACRO, P::CHARACTER);
  }

  const std::string& text_;
  const ParserQuestions& questions_;
  const std::vector<size_t>& declarations_;
  std::vector<LexedToken>& tokens_;
  std::set<std::string, std::less<>> typedefs_;
  std::vector<size_t> open_;       ///< parentheses
  std::vector<bool> records_;      ///< for each open brace, whether it is of a struct or union
  size_t end_of_type_ = SIZE_MAX;  ///< the last ) behind a type
};

/// Notes the farthest token that was read: where prediction failed, no continuation is possible, so that token is
/// wrong. The parser itself may report the earlier token at which its prediction began.
class WatchedTokens : public antlr4::CommonTokenStream {
 public:
  using CommonTokenStream::CommonTokenStream;

  antlr4::Token* LT(ssize_t k) override {
    antlr4::Token* token = CommonTokenStream::LT(k);
    if (token && (!farthest_ || token->getTokenIndex() > farthest_->getTokenIndex())) farthest_ = token;
    return token;
  }

  antlr4::Token* farthest() const { return farthest_; }

 private:
  antlr4::Token* farthest_ = nullptr;
};

/// Reports a syntax error in DTrace's words.
class SyntaxError {
 public:
  SyntaxError(antlr4::TokenStream& tokens, const std::string& text, Diagnostics& diagnostics)
      : tokens_(tokens), text_(text), diagnostics_(diagnostics) {}

  void report(antlr4::Token* token) {
    if (token->getType() == antlr4::Token::EOF) {
      diagnostics_.report("D_SYNTAX", {last_byte(), last_byte() + 1}, "syntax error near end of input",
                          unclosed(token));
      return;
    }
    uint32_t begin = offset(token->getStartIndex()), end = offset(token->getStopIndex() + 1);
    while (end < text_.size() && (text_[end] & 0xc0) == 0x80) ++end;  // a letter of several bytes
    diagnostics_.report("D_SYNTAX", {begin, end}, "syntax error near \"" + text_.substr(begin, end - begin) + "\"",
                        hint(token));
  }

 private:
  uint32_t offset(size_t at) const { return static_cast<uint32_t>(std::min(at, text_.size())); }

  std::string spelling(const antlr4::Token* token) const {
    return text_.substr(token->getStartIndex(), token->getStopIndex() + 1 - token->getStartIndex());
  }

  uint32_t last_byte() const {
    size_t at = text_.find_last_not_of(" \t\r\n");
    return at == std::string::npos ? 0 : static_cast<uint32_t>(at);
  }

  std::string hint(antlr4::Token* token) const {
    if (token->getType() == P::IF || token->getType() == P::WHILE || token->getType() == P::FOR)
      return "D has no loops: use predicates, ?: and if/else statements";
    if (text_.compare(token->getStartIndex(), 2, "//") == 0) return "comments are written /* ... */";
    for (const char* quote : {"\u201c", "\u201d", "\u2018", "\u2019"})
      if (text_.compare(token->getStartIndex(), 3, quote) == 0) return "quotes are written \" and '";
    if (is_keyword_as_name(token)) return spelling(token) + " is a word of D: choose another name";
    if (tokens_.get(0)->getType() == P::PROVIDER) return hint_in_provider(token);
    if (std::string shape = hint_on_shape(token); !shape.empty()) return shape;
    if (std::string word = hint_on_other_syntax(text_, token->getStartIndex()); !word.empty()) return word;
    if (is_in_predicate(token)) return "a / that ends the predicate is missing before it";
    if (lacks_semicolon(token)) return "statements are separated by ;";
    if (lacks_comma(token)) return "a , is missing before it";
    const std::string other = hint_on_other_probe(text_, token->getStartIndex());
    return other.empty() ? unclosed(token) : other;
  }

  /// Of a declaration of probes.
  std::string hint_in_provider(antlr4::Token* token) const {
    const std::string bracket = unclosed(token);
    if (!bracket.empty()) return bracket;
    const bool ends_probe =
        token->getTokenIndex() > 0 && tokens_.get(token->getTokenIndex() - 1)->getType() == P::RPAREN;
    return ends_probe ? "a ; is missing before it" : "a provider has probes: probe NAME(TYPE, TYPE);";
  }

  /// int counter; where counter is a word of provider declarations.
  bool is_keyword_as_name(antlr4::Token* token) const {
    constexpr std::array kWords = {P::COUNTER, P::IMPORT, P::PROBE};
    if (token->getTokenIndex() == 0 || std::ranges::find(kWords, token->getType()) == kWords.end()) return false;
    const std::string before = spelling(tokens_.get(token->getTokenIndex() - 1));
    return before == "*" || std::isalpha(static_cast<unsigned char>(before.front())) != 0;
  }

  /// What is missing, or there twice, by the token and the one before it.
  std::string hint_on_shape(antlr4::Token* token) const {
    if (token->getTokenIndex() == 0) return {};
    const antlr4::Token* before = tokens_.get(token->getTokenIndex() - 1);
    const size_t type = token->getType(), last = before->getType();
    const bool ends = type == P::SEMICOLON || type == P::RPAREN || type == P::RBRACKET || type == P::RBRACE;
    const std::string word = spelling(before);
    if (word == "," && type == P::LBRACE) return "a probe description is missing behind the ,";
    if (spelling(token) == "/" && last == P::PREDICATE_OPEN)
      return "a predicate has an expression; without one, leave out both /";
    if (spelling(token) == "/" && word == "/") return "a clause has one predicate: /a && b/";
    if (ends && word.size() <= 2 && !word.empty() &&
        std::string_view("=+-*%&|^<>!?:,").find(word[0]) != std::string_view::npos)
      return "an expression is missing before it";
    if (last == P::DESCRIPTION) return "the actions of a clause are in braces: PROBE { ... }";
    return {};
  }

  /// A clause's body begins, and its predicate has not ended.
  bool is_in_predicate(antlr4::Token* token) const {
    if (token->getType() != P::LBRACE) return false;
    for (size_t i = token->getTokenIndex(); i-- > 0;) {
      const size_t type = tokens_.get(i)->getType();
      if (type == P::PREDICATE_OPEN || type == P::PREDICATE_CLOSE) return type == P::PREDICATE_OPEN;
    }
    return false;
  }

  /// printf("%d" x): only a comma, or another string, may follow a string in arguments.
  bool lacks_comma(antlr4::Token* token) const {
    constexpr std::array kValues = {P::IDENTIFIER, P::INTEGER, P::TEXT};
    return token->getTokenIndex() > 0 && tokens_.get(token->getTokenIndex() - 1)->getType() == P::TEXT &&
           std::ranges::find(kValues, token->getType()) != kValues.end();
  }

  /// A statement begins behind a whole one.
  bool lacks_semicolon(antlr4::Token* token) const {
    constexpr std::array kBegins = {P::IDENTIFIER, P::AGGREGATION, P::SELF,   P::THIS,     P::INTEGER,
                                    P::TEXT,       P::CHARACTER,   P::MACRO,  P::SIZEOF,   P::STRINGOF,
                                    P::NOT,        P::TILDE,       P::LBRACE, P::OFFSETOF, P::XLATE};
    constexpr std::array kEnds = {P::IDENTIFIER, P::AGGREGATION, P::SELF,   P::THIS,     P::INTEGER,   P::TEXT,
                                  P::CHARACTER,  P::MACRO,       P::RPAREN, P::RBRACKET, P::INCREMENT, P::DECREMENT};
    if (token->getTokenIndex() == 0 || tokens_.get(0)->getType() != P::DESCRIPTION) return false;
    const std::vector<antlr4::Token*> open = open_before(token);
    return !open.empty() && open.back()->getType() == P::LBRACE &&
           std::ranges::find(kBegins, token->getType()) != kBegins.end() &&
           std::ranges::find(kEnds, tokens_.get(token->getTokenIndex() - 1)->getType()) != kEnds.end();
  }

  /// Names the bracket that is open where another kind is closed, or a statement ends.
  std::string unclosed(antlr4::Token* token) const {
    if (token->getType() != P::SEMICOLON && token->getType() != P::RBRACE && token->getType() != antlr4::Token::EOF)
      return {};
    const std::vector<antlr4::Token*> open = open_before(token);
    if (open.empty()) return {};
    size_t type = open.back()->getType();
    if (type == P::LBRACE) return token->getType() == antlr4::Token::EOF ? "a } is missing" : "";
    return type == P::LBRACKET ? "a ] is missing before it" : "a ) is missing before it";
  }

  /// The brackets that are open there.
  std::vector<antlr4::Token*> open_before(antlr4::Token* token) const {
    std::vector<antlr4::Token*> open;
    for (size_t i = 0; i < token->getTokenIndex() && i < tokens_.size(); ++i) {
      antlr4::Token* one = tokens_.get(i);
      switch (one->getType()) {
        case P::LPAREN:
        case P::TYPE_OPEN:
        case P::LBRACKET:
        case P::LBRACE: open.push_back(one); break;
        case P::RPAREN:
        case P::RBRACKET:
        case P::RBRACE:
          if (!open.empty()) open.pop_back();
          break;
        default: break;
      }
    }
    return open;
  }

  antlr4::TokenStream& tokens_;
  const std::string& text_;
  Diagnostics& diagnostics_;
};

/// Makes the tables of prediction when a decision needs them. They take longer than the parse of a script, and most
/// scripts have no such decision.
class LatePrediction : public antlr4::atn::ParserATNSimulator {
 public:
  LatePrediction(P& parser, ParserATNSimulator& own)
      : ParserATNSimulator(&parser, own.atn, own.decisionToDFA, own.getSharedContextCache()) {}

  size_t adaptivePredict(antlr4::TokenStream* input, size_t decision, antlr4::ParserRuleContext* context) override {
    P::makeTables();
    return ParserATNSimulator::adaptivePredict(input, decision, context);
  }
};

/// Null: the text has a syntax error. SLL mode accepts every correct text.
P::ProgramContext* parse_program(P& parser, antlr4::atn::PredictionMode mode) {
  using Simulator = antlr4::atn::ParserATNSimulator;
  parser.setInterpreter(new LatePrediction(parser, *parser.getInterpreter<Simulator>()));
  parser.getInterpreter<Simulator>()->setPredictionMode(mode);
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  try {
    return parser.program();
  } catch (const antlr4::ParseCancellationException&) {
    return nullptr;
  }
}

/// One clause or declaration: tokens [begin, end).
struct Item {
  size_t begin, end;
};

/// A clause ends with its last }, a declaration with its ;.
std::vector<Item> items(const std::vector<antlr4::Token*>& tokens) {
  std::vector<Item> all;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < tokens.size() && tokens[i]->getType() != antlr4::Token::EOF; ++i) {
    const size_t type = tokens[i]->getType();
    depth += type == P::LBRACE;
    depth -= type == P::RBRACE && depth > 0;
    const bool of_clause = tokens[begin]->getType() == P::DESCRIPTION;
    const bool stray = type == P::OTHER && i == begin;
    if (depth > 0 || (type != P::SEMICOLON && !(type == P::RBRACE && of_clause) && !stray)) continue;
    all.push_back({begin, i + 1});
    begin = i + 1;
  }
  if (begin + 1 < tokens.size()) all.push_back({begin, tokens.size() - 1});
  return all;
}

/// Parses item by item in LL mode, which stops at the error. An item with a lexer error reports only that.
class ErrorFinder {
 public:
  ErrorFinder(const std::string& text, bool script, const ParserQuestions& questions, Diagnostics& diagnostics)
      : text_(text), script_(script), questions_(questions), diagnostics_(diagnostics) {}

  void run(const std::vector<antlr4::Token*>& tokens) {
    const std::vector<Diagnostic> known = diagnostics_.list();
    for (const Item& item : items(tokens)) {
      const size_t first = tokens[item.begin]->getStartIndex(), last = tokens[item.end - 1]->getStopIndex();
      const bool told = std::ranges::any_of(
          known, [&](const Diagnostic& one) { return one.where.begin >= first && one.where.begin <= last; });
      if (!told) look_at(tokens, item);
    }
  }

 private:
  const std::string& text_;
  bool script_;
  const ParserQuestions& questions_;
  Diagnostics& diagnostics_;

  void look_at(const std::vector<antlr4::Token*>& tokens, const Item& item) {
    std::vector<std::unique_ptr<antlr4::Token>> own;
    for (size_t i = item.begin; i < item.end; ++i) own.push_back(std::make_unique<antlr4::CommonToken>(tokens[i]));
    own.push_back(std::make_unique<antlr4::CommonToken>(tokens.back()));
    antlr4::ListTokenSource source(std::move(own));
    WatchedTokens stream(&source);
    P parser(&stream);
    if (P::ProgramContext* program = parse_program(parser, antlr4::atn::PredictionMode::LL))
      TreeBuilder(text_, script_, questions_, diagnostics_).build(program);
    else if (!is_redefined_before(tokens, item, stream.farthest()))
      SyntaxError(stream, text_, diagnostics_).report(stream.farthest());
  }

  std::string_view spelling(const antlr4::Token* token) const {
    return std::string_view(text_).substr(token->getStartIndex(), token->getStopIndex() + 1 - token->getStartIndex());
  }

  /// `struct name {` defines the struct at once, so a second definition is reported before a later syntax error.
  bool is_redefined_before(const std::vector<antlr4::Token*>& tokens, const Item& item, const antlr4::Token* error) {
    const auto defined = [&](size_t i) {
      const bool tagged = i + 2 < tokens.size() &&
                          (tokens[i]->getType() == P::STRUCT || tokens[i]->getType() == P::UNION) &&
                          tokens[i + 2]->getType() == P::LBRACE;
      return tagged ? std::string(spelling(tokens[i])) + " " + std::string(spelling(tokens[i + 1])) : "";
    };
    for (size_t i = item.begin; i < item.end && tokens[i]->getStartIndex() < error->getStartIndex(); ++i) {
      const std::string name = defined(i);
      if (name.empty()) continue;
      bool before = questions_.is_type(name);
      for (size_t k = 0; k < i && !before; ++k) before = defined(k) == name;
      if (!before) continue;
      diagnostics_.report(
          "D_DECL_TYPERED",
          {static_cast<uint32_t>(tokens[i]->getStartIndex()), static_cast<uint32_t>(tokens[i + 1]->getStopIndex() + 1)},
          "type redeclared: " + name);
      return true;
    }
    return false;
  }
};

}  // namespace

std::string_view own_type_name(std::string_view name) { return name.starts_with("D`") ? name.substr(2) : name; }

SyntaxTree parse(const std::string& text, bool script, const ParserQuestions& questions, Diagnostics& diagnostics) {
  try {
    ModalLexer lexer(text, script, questions.is_type, diagnostics);
    std::vector<LexedToken> lexed = lexer.all();
    TypeMarker(lexed, text, questions, lexer.declarations()).run();
    use_antlr();
    LexedTokenSource source(lexed);
    antlr4::CommonTokenStream tokens(&source);
    tokens.fill();
    P parser(&tokens);
    P::ProgramContext* program = diagnostics.any() ? nullptr : parse_program(parser, antlr4::atn::PredictionMode::SLL);
    if (program != nullptr) return TreeBuilder(text, script, questions, diagnostics).build(program);
    ErrorFinder(text, script, questions, diagnostics).run(tokens.getTokens());
    diagnostics.sort();
    if (diagnostics.any()) return {};
    tokens.seek(0);
    parser.reset();
    program = parse_program(parser, antlr4::atn::PredictionMode::LL);
    if (program != nullptr) return TreeBuilder(text, script, questions, diagnostics).build(program);
    diagnostics.report("D_SYNTAX", kEndOfText, "syntax error near end of input");
    return {};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    diagnostics.report("D_SYNTAX", {0, 1}, std::string("syntax error: ") + error.what());
    return {};
  }
}

}  // namespace sonde
