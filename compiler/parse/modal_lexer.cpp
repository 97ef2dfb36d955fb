// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/modal_lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "compiler/parse/literals.h"

namespace sonde {
namespace {

using antlr::DLexer;

struct Keyword {
  std::string_view word;
  size_t type;
};

constexpr std::array kKeywords = std::to_array<Keyword>({
    {"auto", DLexer::AUTO},
    {"break", DLexer::BREAK},
    {"case", DLexer::CASE},
    {"char", DLexer::CHAR},
    {"const", DLexer::CONST},
    {"continue", DLexer::CONTINUE},
    {"counter", DLexer::COUNTER},
    {"default", DLexer::DEFAULT},
    {"do", DLexer::DO},
    {"double", DLexer::DOUBLE},
    {"else", DLexer::ELSE},
    {"enum", DLexer::ENUM},
    {"extern", DLexer::EXTERN},
    {"float", DLexer::FLOAT},
    {"for", DLexer::FOR},
    {"goto", DLexer::GOTO},
    {"if", DLexer::IF},
    {"import", DLexer::IMPORT},
    {"inline", DLexer::INLINE},
    {"int", DLexer::INT},
    {"long", DLexer::LONG},
    {"offsetof", DLexer::OFFSETOF},
    {"probe", DLexer::PROBE},
    {"provider", DLexer::PROVIDER},
    {"register", DLexer::REGISTER},
    {"restrict", DLexer::RESTRICT},
    {"return", DLexer::RETURN},
    {"self", DLexer::SELF},
    {"short", DLexer::SHORT},
    {"signed", DLexer::SIGNED},
    {"sizeof", DLexer::SIZEOF},
    {"static", DLexer::STATIC},
    {"string", DLexer::STRING},
    {"stringof", DLexer::STRINGOF},
    {"struct", DLexer::STRUCT},
    {"switch", DLexer::SWITCH},
    {"this", DLexer::THIS},
    {"translator", DLexer::TRANSLATOR},
    {"typedef", DLexer::TYPEDEF},
    {"union", DLexer::UNION},
    {"unsigned", DLexer::UNSIGNED},
    {"void", DLexer::VOID},
    {"volatile", DLexer::VOLATILE},
    {"while", DLexer::WHILE},
    {"xlate", DLexer::XLATE},
});
static_assert(std::ranges::is_sorted(kKeywords, {}, &Keyword::word));

constexpr size_t kMostBrackets = 200;
constexpr uint32_t kMostOperators = 2000;
constexpr uint32_t kMostSteps = 16;     ///< ++ and -- in a row: the parser tries all ways to share them out
constexpr uint32_t kMostChained = 500;  ///< = and ? in one statement, and elses inside each other

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("-$:_.?*\\[]!`").find(c) != std::string_view::npos;
}

/// `x / 2 / y` divides; `/x/ BEGIN /y/` and `/x/ tick-5s /y/` name a probe.
bool can_only_be_a_probe(std::string_view word) {
  size_t dash = word.find('-');
  bool rate = dash != std::string_view::npos && (word.substr(0, dash) == "tick" || word.substr(0, dash) == "profile");
  return rate || word == "BEGIN" || word == "END" || word == "ERROR";
}

}  // namespace

size_t keyword(std::string_view word) {
  auto at = std::ranges::lower_bound(kKeywords, word, {}, &Keyword::word);
  return at != kKeywords.end() && at->word == word ? at->type : 0;
}

/// The grammar's tables are compiled in: to verify them at each start would take as long as to parse a script.
UsesAntlr::UsesAntlr() {
  using Options = antlr4::atn::ATNDeserializationOptions;
  initialize_antlr([] { const_cast<Options&>(Options::getDefaultOptions()).setVerifyATN(false); });
}

ByteStream::ByteStream(std::string_view text) {
  _data.resize(text.size());
  std::ranges::transform(text, _data.begin(),
                         [](char c) { return static_cast<char32_t>(static_cast<unsigned char>(c)); });
}

ModalLexer::ModalLexer(antlr4::CharStream* input, const std::string& text, bool script, const IsType& is_type,
                       Diagnostics& diagnostics)
    : DLexer(input), text_(text), script_(script), is_type_(is_type), diagnostics_(diagnostics) {
  removeErrorListeners();
}

/// A SEMICOLON is put before the } that ends a statement: it stands where the } does.
std::unique_ptr<antlr4::Token> ModalLexer::nextToken() {
  if (held_) return std::move(held_);
  const bool in_body = region_ == Region::Body;
  std::unique_ptr<antlr4::Token> token = next_written_token();
  const size_t type = token->getType();
  const bool ends = in_body && type == RBRACE && statement_open_;
  statement_open_ = in_body && type != SEMICOLON && type != LBRACE && type != RBRACE;
  if (!ends) return token;
  held_ = std::move(token);
  auto semicolon = std::make_unique<antlr4::CommonToken>(held_.get());
  semicolon->setType(SEMICOLON);
  return semicolon;
}

std::unique_ptr<antlr4::Token> ModalLexer::next_written_token() {
  std::unique_ptr<antlr4::Token> token = DLexer::nextToken();
  auto& common = static_cast<antlr4::CommonToken&>(*token);
  if (common.getType() == DESCRIPTION && starts_declaration(common)) {
    region_ = Region::Declaration;
    declarations_.push_back(common.getStartIndex());
    getInputStream()->seek(common.getStartIndex());
    setMode(Code);
    return next_written_token();
  }
  if (region_ == Region::Top)
    top_token(common);
  else
    code_token(common);
  return token;
}

void ModalLexer::top_token(antlr4::CommonToken& token) {
  if (token.getType() == LBRACE) {
    region_ = Region::Body;
    open_.push_back('{');
    setMode(Code);
  } else if (token.getType() == PREDICATE_OPEN) {
    region_ = Region::Predicate;
    questions_ = 0;
    setMode(Code);
  } else if (token.getType() == OTHER) {
    char c = text_[token.getStartIndex()];
    if (c == '}' || c == ')') complain("D_SYNTAX", token, std::string("extra ") + c + " in input stream");
  }
}

void ModalLexer::limit_depth(const antlr4::CommonToken& token) {
  size_t type = token.getType();
  if (type == SEMICOLON || type == LBRACE || type == RBRACE) operators_ = 0;
  if (type == SEMICOLON)
    chained_ = 0;
  else if (type >= LPAREN && type <= SHR_ASSIGN && type != COMMA)
    ++operators_;
  chained_ += type == ASSIGN || type == QUESTION;
  steps_ = type == INCREMENT || type == DECREMENT ? steps_ + 1 : 0;
  count_elses(type);
  bool fine = open_.size() < kMostBrackets && operators_ < kMostOperators && chained_ < kMostChained &&
              all_elses_ < kMostChained && steps_ < kMostSteps;
  if (fine) return;
  complain("D_SYNTAX", token, "nested too deeply");
  getInputStream()->seek(text_.size());  // no later text can correct this
}

/// if (a) x; else if (b) y; else z; nests deeper with each else, although no bracket is open.
void ModalLexer::count_elses(size_t type) {
  if (type == ELSE) {
    ++elses_.back();
    ++all_elses_;
  } else if (statement_ended_) {
    all_elses_ -= elses_.back();
    elses_.back() = 0;
  }
  if (type == LBRACE) elses_.push_back(0);
  if (type == RBRACE && elses_.size() > 1) {
    all_elses_ -= elses_.back();
    elses_.pop_back();
  }
  statement_ended_ = type == SEMICOLON || type == RBRACE;
}

void ModalLexer::code_token(antlr4::CommonToken& token) {
  if (token.getType() == IDENTIFIER) {
    size_t begin = token.getStartIndex();
    std::string_view word = std::string_view(text_).substr(begin, token.getStopIndex() + 1 - begin);
    const size_t scope = word.rfind('`');
    size_t type = keyword(scope == std::string_view::npos ? word : word.substr(scope + 1));
    bool scoped_type = type == STRUCT || type == UNION || type == ENUM;  // vmlinux`struct file
    if (type && (scope == std::string_view::npos || scoped_type)) token.setType(type);
    if (open_.empty() && token.getType() == IDENTIFIER) last_name_ = word;
  }
  if (token.getType() == TYPEDEF) in_typedef_ = region_ == Region::Declaration;
  limit_depth(token);
  switch (token.getType()) {
    case LBRACE:
    case LPAREN:
    case LBRACKET: open_bracket(token); break;
    case RBRACE: close_bracket(token, '{'); break;
    case RPAREN: close_bracket(token, '('); break;
    case RBRACKET: close_bracket(token, '['); break;
    case SEMICOLON:
      if (region_ != Region::Declaration || !open_.empty()) break;
      if (std::exchange(in_typedef_, false)) typedefs_.insert(last_name_);
      end_region();
      break;
    case QUESTION: questions_ += open_.empty(); break;
    case COLON: questions_ -= open_.empty() && questions_ > 0; break;
    case SLASH:
      if (region_ == Region::Predicate && closes_predicate(token.getStopIndex() + 1)) {
        if (!open_.empty())
          complain("D_SYNTAX", token,
                   std::string("closing ") + (open_.back() == '[' ? ']' : ')') + " expected in predicate before /");
        token.setType(PREDICATE_CLOSE);
        end_region();
      }
      break;
    case FLOATING:
      complain("D_SYNTAX", token, "floating-point constants are not permitted",
               "D computes with integers: count in thousandths, say");
      break;
    case OPEN_TEXT:
      complain("D_STR_NL", token, "newline encountered in string literal",
               "a \" is missing; a newline in a string is \\n");
      break;
    case OPEN_CHARACTER:
      complain("D_CHR_NL", token, "newline encountered in character constant",
               "a ' is missing; a string is written in \" quotes");
      break;
    default: break;
  }
}

void ModalLexer::open_bracket(const antlr4::CommonToken& token) {
  if (token.getType() == LBRACE && region_ == Region::Predicate) {  // its closing / is missing; the parser reports it
    region_ = Region::Body;
    open_.clear();
  }
  open_.push_back(text_[token.getStartIndex()]);
}

void ModalLexer::close_bracket(antlr4::CommonToken& token, char opener) {
  if (open_.empty() || std::ranges::find(open_, opener) == open_.end()) {
    complain("D_SYNTAX", token, std::string("extra ") + text_[token.getStartIndex()] + " in input stream");
    return;
  }
  while (open_.back() != opener) open_.pop_back();  // the parser reports what is missing inside
  open_.pop_back();
  if (open_.empty() && region_ == Region::Body) end_region();
}

void ModalLexer::end_region() {
  region_ = Region::Top;
  open_.clear();
  setMode(DEFAULT_MODE);
}

bool ModalLexer::starts_declaration(const antlr4::CommonToken& token) const {
  size_t begin = token.getStartIndex(), end = token.getStopIndex() + 1;
  std::string_view word = std::string_view(text_).substr(begin, end - begin);
  if (keyword(word)) return true;
  const std::string_view before_star = word.substr(0, word.find('*'));
  if (script_ && before_star.size() < word.size() && is_identifier(before_star))
    return keyword(before_star) || typedefs_.contains(before_star) || is_type_(before_star);
  if (!is_identifier(word)) return false;
  size_t next = skip_blanks(end);
  return next < text_.size() && (is_word(text_[next]) || text_[next] == '(');
}

size_t ModalLexer::skip_blanks(size_t at) const {
  while (at < text_.size() && std::isspace(static_cast<unsigned char>(text_[at]))) ++at;
  return at;
}

size_t ModalLexer::skip_word(size_t at) const {
  while (at < text_.size() && is_word(text_[at])) ++at;
  return at;
}

bool ModalLexer::closes_predicate(size_t after) const {
  size_t at = skip_blanks(after);
  if (at == text_.size() || text_[at] == '{' || text_[at] == ';') return true;
  if (!open_.empty() || questions_ > 0) return false;
  size_t end = skip_word(at);
  if (end == at) return false;
  std::string_view word = std::string_view(text_).substr(at, end - at);
  size_t then = skip_blanks(end);
  bool own_line = text_.find('\n', after) < at;  // a division continues in its line
  bool then_clause = then < text_.size() && (text_[then] == '{' || text_[then] == ',' ||
                                             (text_[then] == '/' && (own_line || can_only_be_a_probe(word))));
  return word.find(':') != std::string_view::npos || then_clause ||
         (keyword(word) && word != "self" && word != "this" && word != "sizeof");
}

void ModalLexer::complain(std::string_view tag, const antlr4::CommonToken& token, std::string message,
                          std::string_view hint) {
  diagnostics_.report(tag,
                      {static_cast<uint32_t>(token.getStartIndex()), static_cast<uint32_t>(token.getStopIndex() + 1)},
                      std::move(message), std::string(hint));
}

}  // namespace sonde
