// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/modal_lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "DParser.h"
#include "compiler/parse/literals.h"

namespace sonde {
namespace {

using P = antlr::DParser;

struct Keyword {
  std::string_view word;
  size_t type;
};

constexpr std::array kKeywords = std::to_array<Keyword>({
    {"auto", P::AUTO},
    {"break", P::BREAK},
    {"case", P::CASE},
    {"char", P::CHAR},
    {"const", P::CONST},
    {"continue", P::CONTINUE},
    {"counter", P::COUNTER},
    {"default", P::DEFAULT},
    {"do", P::DO},
    {"double", P::DOUBLE},
    {"else", P::ELSE},
    {"enum", P::ENUM},
    {"extern", P::EXTERN},
    {"float", P::FLOAT},
    {"for", P::FOR},
    {"goto", P::GOTO},
    {"if", P::IF},
    {"import", P::IMPORT},
    {"inline", P::INLINE},
    {"int", P::INT},
    {"long", P::LONG},
    {"offsetof", P::OFFSETOF},
    {"probe", P::PROBE},
    {"provider", P::PROVIDER},
    {"register", P::REGISTER},
    {"restrict", P::RESTRICT},
    {"return", P::RETURN},
    {"self", P::SELF},
    {"short", P::SHORT},
    {"signed", P::SIGNED},
    {"sizeof", P::SIZEOF},
    {"static", P::STATIC},
    {"string", P::STRING},
    {"stringof", P::STRINGOF},
    {"struct", P::STRUCT},
    {"switch", P::SWITCH},
    {"this", P::THIS},
    {"translator", P::TRANSLATOR},
    {"typedef", P::TYPEDEF},
    {"union", P::UNION},
    {"unsigned", P::UNSIGNED},
    {"void", P::VOID},
    {"volatile", P::VOLATILE},
    {"while", P::WHILE},
    {"xlate", P::XLATE},
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

ModalLexer::ModalLexer(const std::string& text, bool script, const IsType& is_type, Diagnostics& diagnostics)
    : text_(text), script_(script), is_type_(is_type), diagnostics_(diagnostics) {}

std::vector<LexedToken> ModalLexer::all() {
  std::vector<LexedToken> tokens;
  do tokens.push_back(next());
  while (tokens.back().type != antlr4::Token::EOF);
  return tokens;
}

/// A SEMICOLON is put before the } that ends a statement: it stands where the } does.
LexedToken ModalLexer::next() {
  if (held_) return *std::exchange(held_, std::nullopt);
  const bool in_body = region_ == Region::Body;
  const LexedToken token = next_written_token();
  const bool ends = in_body && token.type == P::RBRACE && statement_open_;
  statement_open_ = in_body && token.type != P::SEMICOLON && token.type != P::LBRACE && token.type != P::RBRACE;
  if (!ends) return token;
  held_ = token;
  return {P::SEMICOLON, token.begin, token.end};
}

LexedToken ModalLexer::next_written_token() {
  const bool top = region_ == Region::Top;
  LexedToken token = top ? scan_description(text_, at_) : scan_code(text_, at_);
  if (token.type == P::DESCRIPTION && starts_declaration(token)) {
    region_ = Region::Declaration;
    declarations_.push_back(token.begin);
    at_ = token.begin;
    return next_written_token();
  }
  at_ = token.end;
  if (top)
    top_token(token);
  else
    code_token(token);
  return token;
}

void ModalLexer::top_token(LexedToken& token) {
  if (token.type == P::LBRACE) {
    region_ = Region::Body;
    open_.push_back('{');
  } else if (token.type == P::PREDICATE_OPEN) {
    region_ = Region::Predicate;
    questions_ = 0;
  } else if (token.type == P::OTHER) {
    char c = text_[token.begin];
    if (c == '}' || c == ')') complain("D_SYNTAX", token, std::string("extra ") + c + " in input stream");
  }
}

void ModalLexer::limit_depth(const LexedToken& token) {
  size_t type = token.type;
  if (type == P::SEMICOLON || type == P::LBRACE || type == P::RBRACE) operators_ = 0;
  if (type == P::SEMICOLON)
    chained_ = 0;
  else if (type >= P::LPAREN && type <= P::SHR_ASSIGN && type != P::COMMA)
    ++operators_;
  chained_ += type == P::ASSIGN || type == P::QUESTION;
  steps_ = type == P::INCREMENT || type == P::DECREMENT ? steps_ + 1 : 0;
  count_elses(type);
  bool fine = open_.size() < kMostBrackets && operators_ < kMostOperators && chained_ < kMostChained &&
              all_elses_ < kMostChained && steps_ < kMostSteps;
  if (fine) return;
  complain("D_SYNTAX", token, "nested too deeply");
  at_ = text_.size();  // no later text can correct this
}

/// if (a) x; else if (b) y; else z; nests deeper with each else, although no bracket is open.
void ModalLexer::count_elses(size_t type) {
  if (type == P::ELSE) {
    ++elses_.back();
    ++all_elses_;
  } else if (statement_ended_) {
    all_elses_ -= elses_.back();
    elses_.back() = 0;
  }
  if (type == P::LBRACE) elses_.push_back(0);
  if (type == P::RBRACE && elses_.size() > 1) {
    all_elses_ -= elses_.back();
    elses_.pop_back();
  }
  statement_ended_ = type == P::SEMICOLON || type == P::RBRACE;
}

void ModalLexer::code_token(LexedToken& token) {
  if (token.type == P::IDENTIFIER) {
    size_t begin = token.begin;
    std::string_view word = std::string_view(text_).substr(begin, token.end - begin);
    const size_t scope = word.rfind('`');
    size_t type = keyword(scope == std::string_view::npos ? word : word.substr(scope + 1));
    bool scoped_type = type == P::STRUCT || type == P::UNION || type == P::ENUM;  // vmlinux`struct file
    if (type && (scope == std::string_view::npos || scoped_type)) token.type = type;
    if (open_.empty() && token.type == P::IDENTIFIER) last_name_ = word;
  }
  if (token.type == P::TYPEDEF) in_typedef_ = region_ == Region::Declaration;
  limit_depth(token);
  switch (token.type) {
    case P::LBRACE:
    case P::LPAREN:
    case P::LBRACKET: open_bracket(token); break;
    case P::RBRACE: close_bracket(token, '{'); break;
    case P::RPAREN: close_bracket(token, '('); break;
    case P::RBRACKET: close_bracket(token, '['); break;
    case P::SEMICOLON:
      if (region_ != Region::Declaration || !open_.empty()) break;
      if (std::exchange(in_typedef_, false)) typedefs_.insert(last_name_);
      end_region();
      break;
    case P::QUESTION: questions_ += open_.empty(); break;
    case P::COLON: questions_ -= open_.empty() && questions_ > 0; break;
    case P::SLASH:
      if (region_ == Region::Predicate && closes_predicate(token.end)) {
        if (!open_.empty())
          complain("D_SYNTAX", token,
                   std::string("closing ") + (open_.back() == '[' ? ']' : ')') + " expected in predicate before /");
        token.type = P::PREDICATE_CLOSE;
        end_region();
      }
      break;
    case P::FLOATING:
      complain("D_SYNTAX", token, "floating-point constants are not permitted",
               "D computes with integers: count in thousandths, say");
      break;
    case P::OPEN_TEXT:
      complain("D_STR_NL", token, "newline encountered in string literal",
               "a \" is missing; a newline in a string is \\n");
      break;
    case P::OPEN_CHARACTER:
      complain("D_CHR_NL", token, "newline encountered in character constant",
               "a ' is missing; a string is written in \" quotes");
      break;
    default: break;
  }
}

void ModalLexer::open_bracket(const LexedToken& token) {
  if (token.type == P::LBRACE && region_ == Region::Predicate) {  // its closing / is missing; the parser reports it
    region_ = Region::Body;
    open_.clear();
  }
  open_.push_back(text_[token.begin]);
}

void ModalLexer::close_bracket(LexedToken& token, char opener) {
  if (open_.empty() || std::ranges::find(open_, opener) == open_.end()) {
    complain("D_SYNTAX", token, std::string("extra ") + text_[token.begin] + " in input stream");
    return;
  }
  while (open_.back() != opener) open_.pop_back();  // the parser reports what is missing inside
  open_.pop_back();
  if (open_.empty() && region_ == Region::Body) end_region();
}

void ModalLexer::end_region() {
  region_ = Region::Top;
  open_.clear();
}

bool ModalLexer::starts_declaration(const LexedToken& token) const {
  size_t begin = token.begin, end = token.end;
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

void ModalLexer::complain(std::string_view tag, const LexedToken& token, std::string message, std::string_view hint) {
  diagnostics_.report(tag, {static_cast<uint32_t>(token.begin), static_cast<uint32_t>(token.end)}, std::move(message),
                      std::string(hint));
}

}  // namespace sonde
