// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/scanner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include "DParser.h"

namespace sonde {
namespace {

using P = antlr::DParser;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_initial(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_in_name(char c) { return is_initial(c) || is_digit(c); }
constexpr bool is_one_of(char c, std::string_view signs) { return signs.find(c) != signs.npos; }
constexpr bool is_blank(char c) { return is_one_of(c, " \t\r\n\f\v"); }

size_t skip_blanks(std::string_view text, size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// ---- descriptions ----------------------------------------------------------------------------------------------

/// In a description's field; a : ends one.
constexpr bool is_in_field(char c) { return is_in_name(c) || is_one_of(c, "-$.?*[]!`"); }

// A function's name in C++ or Rust has more signs. They count behind a colon, and in pairs of brackets, where blanks and
// commas do, too; any sign behind a backslash. A run of digits is a probe's id. A path may be the module, after the first
// colon and with two more behind it, so that it is no predicate.
//
//   Number   digits
//   Plain    letters and colons; the first is no digit
//   Quoted   the same behind a colon that is not the first letter, with a function's signs
//   Field    letters, before  :/path:function:name
//   Slash    behind the colon
//   PathHead behind the /
//   Path
//   Function behind the path's colon, with a function's signs
//   Name     behind another colon, with a function's signs
//
// A text may be read in several of these states at once. The longest token ends where the last that may end one was.
class DescriptionScanner {
 public:
  DescriptionScanner(std::string_view text, size_t begin) : text_(text), begin_(begin), longest_(begin) {}

  /// Its end; where it begins: there is none.
  size_t end() {
    reach(begin_, Start);
    for (size_t at = begin_; at - begin_ < states_.size() && at < text_.size(); ++at)
      if (const unsigned states = states_[at - begin_]; states != 0) step(at, states);
    return longest_;
  }

 private:
  enum State : uint16_t {
    Start = 1,
    Number = 2,
    Plain = 4,
    Quoted = 8,
    Field = 16,
    Slash = 32,
    PathHead = 64,
    Path = 128,
    Function = 256,
    Name = 512
  };
  static constexpr unsigned kMayEnd = Number | Plain | Quoted | Name;
  static constexpr unsigned kHasSigns = Quoted | Function | Name;

  void reach(size_t at, unsigned states) {
    if (at - begin_ >= states_.size()) states_.resize(at - begin_ + 1);
    states_[at - begin_] |= static_cast<uint16_t>(states);
    if ((states & kMayEnd) != 0) longest_ = std::max(longest_, at);
  }

  void step(size_t at, unsigned states) {
    const char c = text_[at];
    if (c == '\\') return escaped(at, states);
    const auto go = [&](unsigned from, unsigned to) {
      if ((states & from) != 0) reach(at + 1, to);
    };
    if (is_in_field(c)) {
      go(Start, is_digit(c) ? Number | Field : Plain | Field);
      if (is_digit(c)) go(Number, Number);
      for (const unsigned same : {Plain, Quoted, Field, Function, Name}) go(same, same);
    } else if (c == ':') {
      go(Start, Plain);
      go(Plain, Plain | Quoted);
      go(Quoted, Quoted);
      go(Field, Slash);
      go(Path, Function);
      go(Function, Function | Name);
      go(Name, Name);
    }
    if (c == '/') go(Slash, PathHead);
    if (!is_one_of(c, ": \t\r\n{};,\"")) {
      if (c != '/' && c != '*') go(PathHead, Path);
      go(Path, Path);
    }
    if ((states & kHasSigns) != 0) signs(at, states & kHasSigns);
  }

  /// A backslash, and what is behind it, unless that is a newline.
  void escaped(size_t at, unsigned states) {
    unsigned to = states & (Plain | Quoted | Field | Path | Function | Name);
    if ((states & Start) != 0) to |= Plain | Field;
    if ((states & PathHead) != 0) to |= Path;
    if (to == 0) return;
    reach(at + 1, to);
    if (at + 1 < text_.size() && text_[at + 1] != '\n') reach(at + 2, to);
  }

  void signs(size_t at, unsigned states) {
    const char c = text_[at];
    if (is_one_of(c, "~'#<>")) reach(at + 1, states);
    if (c == '<' && end_of_brackets(at) != text_.npos) reach(end_of_brackets(at), states);
    if (c == '(') parameters(at, states);
    if (c == 'o') name_of_operator(at, states);
  }

  /// Brackets, and the qualifiers of a member function.
  void parameters(size_t at, unsigned states) {
    const size_t end = at < text_.size() && text_[at] == '(' ? end_of_brackets(at) : text_.npos;
    if (end == text_.npos) return;
    reach(end, states);
    for (const std::string_view qualifiers : {" const", " const &", " const &&", " &", " &&"})
      if (text_.substr(end).starts_with(qualifiers)) reach(end + qualifiers.size(), states);
  }

  /// operator() and operator[] are made of brackets; operator/ is one only where a probe's name or parameters follow.
  void name_of_operator(size_t at, unsigned states) {
    constexpr std::string_view kWord = "operator";
    if (!text_.substr(at).starts_with(kWord)) return;
    const size_t behind = at + kWord.size();
    for (size_t end = behind; end < text_.size() && is_one_of(text_[end], "<>=+-*%&|^~!,");) reach(++end, states);
    for (const std::string_view division : {"/", "/="}) {
      const size_t end = behind + division.size();
      if (!text_.substr(behind).starts_with(division)) continue;
      if (end < text_.size() && text_[end] == ':') reach(end + 1, states);
      parameters(end, states);
    }
    if (behind + 1 < text_.size() && text_[behind] == ' ' && is_initial(text_[behind + 1])) reach(behind + 2, states);
  }

  /// Behind the bracket that closes the one there; npos: none does.
  size_t end_of_brackets(size_t open) {
    if (const auto known = ends_.find(open); known != ends_.end()) return known->second;
    std::vector<size_t> opened;
    for (size_t at = open; at < text_.size() && !is_one_of(text_[at], "{};\"\n"); ++at) {
      const char c = text_[at];
      if (c == '<' || c == '(') {
        opened.push_back(at);
        ends_[at] = text_.npos;
      } else if (c == '>' || c == ')') {
        if (text_[opened.back()] != (c == '>' ? '<' : '(')) break;
        ends_[opened.back()] = at + 1;
        opened.pop_back();
        if (opened.empty()) break;
      }
    }
    return ends_[open];
  }

  const std::string_view text_;
  const size_t begin_;
  size_t longest_;
  std::vector<uint16_t> states_;   ///< by place, from begin_ on
  std::map<size_t, size_t> ends_;  ///< of brackets, by where they open
};

// ---- code ------------------------------------------------------------------------------------------------------

struct Sign {
  std::string_view text;
  size_t type;
};

/// A longer one comes before those that it begins with.
constexpr std::array kSigns = std::to_array<Sign>({
    {"...", P::ELLIPSIS},     {"<<=", P::SHL_ASSIGN}, {">>=", P::SHR_ASSIGN},
    {"->", P::ARROW},         {"++", P::INCREMENT},   {"--", P::DECREMENT},
    {"<<", P::SHIFT_LEFT},    {">>", P::SHIFT_RIGHT}, {"<=", P::LESS_EQUAL},
    {">=", P::GREATER_EQUAL}, {"==", P::EQUAL},       {"!=", P::NOT_EQUAL},
    {"&&", P::AND_AND},       {"||", P::OR_OR},       {"^^", P::XOR_XOR},
    {"+=", P::ADD_ASSIGN},    {"-=", P::SUB_ASSIGN},  {"*=", P::MUL_ASSIGN},
    {"/=", P::DIV_ASSIGN},    {"%=", P::MOD_ASSIGN},  {"&=", P::AND_ASSIGN},
    {"|=", P::OR_ASSIGN},     {"^=", P::XOR_ASSIGN},  {"{", P::LBRACE},
    {"}", P::RBRACE},         {"(", P::LPAREN},       {")", P::RPAREN},
    {"[", P::LBRACKET},       {"]", P::RBRACKET},     {";", P::SEMICOLON},
    {",", P::COMMA},          {".", P::DOT},          {"+", P::PLUS},
    {"-", P::MINUS},          {"*", P::STAR},         {"/", P::SLASH},
    {"%", P::PERCENT},        {"&", P::AMPERSAND},    {"|", P::PIPE},
    {"^", P::CARET},          {"~", P::TILDE},        {"!", P::NOT},
    {"<", P::LESS},           {">", P::GREATER},      {"?", P::QUESTION},
    {":", P::COLON},          {"=", P::ASSIGN},
});

class CodeScanner {
 public:
  explicit CodeScanner(std::string_view text) : text_(text) {}

  LexedToken token(size_t at) const {
    const char c = text_[at];
    if (is_initial(c) || c == '`') return {P::IDENTIFIER, at, end_of_identifier(at)};
    if (c == '@') return {P::AGGREGATION, at, is_initial(peek(at + 1)) ? skip_name(at + 1) : at + 1};
    if (c == '$') return {P::MACRO, at, skip_name(peek(at + 1) == '$' ? at + 2 : at + 1)};
    if (c == '\'') return quoted(at, P::CHARACTER, P::OPEN_CHARACTER);
    if (c == '"') return quoted(at, P::TEXT, P::OPEN_TEXT);
    if (const size_t end = end_of_floating(at); end > at) return {P::FLOATING, at, end};
    if (is_digit(c)) return {P::INTEGER, at, skip_name(at)};
    for (const Sign& sign : kSigns)
      if (sign.text[0] == c && text_.substr(at).starts_with(sign.text)) return {sign.type, at, at + sign.text.size()};
    return {P::OTHER, at, at + 1};
  }

 private:
  /// NUL: there is none.
  char peek(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  size_t skip_name(size_t at) const {
    while (is_in_name(peek(at))) ++at;
    return at;
  }
  size_t skip_digits(size_t at) const {
    while (is_digit(peek(at))) ++at;
    return at;
  }

  /// A scope may be the name of a file: a.out`main, libc.so.6`malloc. Without a scope, a ` is a letter.
  size_t end_of_identifier(size_t begin) const {
    bool begins = true, in_scope = false, in_name = false;
    size_t end = begin;
    for (size_t at = begin; at < text_.size() && (begins || in_scope || in_name); ++at) {
      const char c = text_[at];
      const bool ends_scope = in_scope && c == '`';
      in_name = c == '`' ? begins || in_name : (begins && is_initial(c)) || (in_name && is_in_name(c));
      in_scope = (begins && is_initial(c)) || (in_scope && (is_in_name(c) || is_one_of(c, ".+")));
      begins = ends_scope;
      if (in_name) end = at + 1;
    }
    return end;
  }

  /// `at`: it is none.
  size_t end_of_floating(size_t at) const {
    const size_t point = skip_digits(at);
    if (peek(point) != '.' || (point == at && !is_digit(peek(at + 1)))) return at;
    size_t end = skip_digits(point + 1);
    if (peek(end) == 'e' || peek(end) == 'E') {
      const size_t digits = is_one_of(peek(end + 1), "+-") ? end + 2 : end + 1;
      if (is_digit(peek(digits))) end = skip_digits(digits);
    }
    return is_one_of(peek(end), "fFlL") ? end + 1 : end;
  }

  /// `open`: its type if the line ends before the quote that closes it.
  LexedToken quoted(size_t begin, size_t closed, size_t open) const {
    size_t at = begin + 1;
    while (at < text_.size() && text_[at] != text_[begin] && text_[at] != '\n') {
      const bool escapes = text_[at] == '\\' && at + 1 < text_.size() && text_[at + 1] != '\n';
      at += escapes ? 2 : 1;
    }
    return peek(at) == text_[begin] ? LexedToken{closed, begin, at + 1} : LexedToken{open, begin, at};
  }

  const std::string_view text_;
};

}  // namespace

LexedToken scan_description(std::string_view text, size_t at) {
  at = skip_blanks(text, at);
  if (at == text.size()) return {antlr4::Token::EOF, at, at};
  if (const size_t end = DescriptionScanner(text, at).end(); end > at) return {P::DESCRIPTION, at, end};
  constexpr std::array kOthers =
      std::to_array<Sign>({{",", P::COMMA}, {"/", P::PREDICATE_OPEN}, {"{", P::LBRACE}, {";", P::SEMICOLON}});
  const auto sign = std::ranges::find(kOthers, text.substr(at, 1), &Sign::text);
  return {sign == kOthers.end() ? size_t{P::OTHER} : sign->type, at, at + 1};
}

LexedToken scan_code(std::string_view text, size_t at) {
  at = skip_blanks(text, at);
  if (at == text.size()) return {antlr4::Token::EOF, at, at};
  return CodeScanner(text).token(at);
}

}  // namespace sonde
