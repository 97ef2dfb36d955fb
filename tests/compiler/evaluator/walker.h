// SPDX-License-Identifier: GPL-3.0-or-later
// The third evaluator: walks a term, and follows the definition of the language literally. Integers are computed in 64
// bits and cut to a type when they are stored or cast, and when ?: converts both arms to one type; side effects happen
// from left to right.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "tests/compiler/evaluator/term.h"

namespace sonde::test {

inline constexpr uint32_t kIntegers = 8, kStrings = 3, kItems = 8, kBlock = 16, kStrsize = 256;
inline constexpr uint64_t kBlockStart = 1 << 20;  ///< the first address of the block, for a walker
inline constexpr TermType kFields[] = {{TermType::Kind::Integer, 4, true, 3},  {TermType::Kind::Integer, 4, false, 5},
                                       {TermType::Kind::Integer, 8, true, 40}, {TermType::Kind::Integer, 4, false, 31},
                                       {TermType::Kind::Integer, 1, true, 8},  {TermType::Kind::Integer, 8, false, 63}};

/// The type of v<index>.
inline TermType variable_type(uint32_t index) {
  return {TermType::Kind::Integer, static_cast<uint8_t>(1u << index / 2), index % 2 == 0};
}

/// The environment of an expression: the event, and all variables.
struct Surroundings {
  std::array<uint64_t, 10> args{};
  uint32_t pid = 0, tid = 0, uid = 0;
  uint64_t timestamp = 0;

  std::array<uint64_t, kIntegers> integers{};
  std::array<uint64_t, std::size(kFields)> fields{};
  std::array<uint64_t, kItems> items{};
  std::array<uint64_t, kBlock> block{};  ///< this->p points to it
  std::map<uint64_t, uint64_t> elements;
  std::array<std::string, kStrings> strings;
  uint64_t pointer = kBlockStart;  ///< this->q; the walker's addresses count ints
};

class Walker {
 public:
  explicit Walker(Surroundings& around) : around_(around) {}

  uint64_t number(const Term& term) {
    switch (term.kind) {
      case TermKind::Literal:
      case TermKind::Sizeof: return term.value;
      case TermKind::Event: return event(term.index);
      case TermKind::Variable:
      case TermKind::Field:
      case TermKind::Element:
      case TermKind::Item:
      case TermKind::Deref: return *place(term);
      case TermKind::Unary: return unary(term);
      case TermKind::Binary: return binary(term);
      case TermKind::Logical: return logical(term);
      case TermKind::Conditional: return cut(number(*term.kids[condition(*term.kids[0]) ? 1 : 2]), term.type);
      case TermKind::Comma: any(*term.kids[0]); return number(*term.kids[1]);
      case TermKind::Cast: return cut(number(*term.kids[0]), term.type);
      case TermKind::Assign: {
        uint64_t* to = place(*term.kids[0]);
        uint64_t value = cut(number(*term.kids[1]), term.kids[0]->type);
        return *to = value;
      }
      case TermKind::Update: {
        uint64_t* to = place(*term.kids[0]);
        uint64_t before = *to, right = number(*term.kids[1]);
        return *to =
                   cut(arithmetic(term.op, promoted_for(term), term.kids[0]->type, before, right), term.kids[0]->type);
      }
      case TermKind::Step: {
        uint64_t* to = place(*term.kids[0]);
        uint64_t before = *to;
        *to = cut(term.op == "+" ? before + 1 : before - 1, term.kids[0]->type);
        return term.postfix ? before : *to;
      }
      case TermKind::CharAt: {
        std::string text = string(*term.kids[0]);
        uint64_t at = number(*term.kids[1]) & 7;
        return at < text.size() ? cut(static_cast<unsigned char>(text[at]), kChar) : 0;
      }
      case TermKind::Call: return call(term);
      case TermKind::NullTest: {
        std::string text = string(*term.kids[0]->kids[0]);
        bool null = text.find(static_cast<char>(number(*term.kids[0]->kids[1]))) == std::string::npos;
        return null == (term.op == "==");
      }
    }
    return 0;
  }

  std::string string(const Term& term) {
    switch (term.kind) {
      case TermKind::Literal: return unquoted(term.text);
      case TermKind::Variable: return around_.strings[term.index];
      case TermKind::Conditional: return string(*term.kids[condition(*term.kids[0]) ? 1 : 2]);
      case TermKind::Comma: any(*term.kids[0]); return string(*term.kids[1]);
      case TermKind::Assign: return around_.strings[term.kids[0]->index] = string(*term.kids[1]);
      default: break;
    }
    if (term.text == "lltostr") return std::to_string(static_cast<int64_t>(number(*term.kids[0])));
    std::string first = string(*term.kids[0]);
    if (term.text == "strjoin") return (first + string(*term.kids[1])).substr(0, kStrsize);
    int64_t at = static_cast<int32_t>(number(*term.kids[1]));
    bool bounded = term.kids.size() > 2;
    return substring(first, at, bounded, bounded ? static_cast<int32_t>(number(*term.kids[2])) : 0);
  }

  void any(const Term& term) {
    if (term.type.kind == TermType::Kind::String)
      string(term);
    else if (term.type.kind == TermType::Kind::Pointer)
      pointer(term);
    else
      number(term);
  }

 private:
  Surroundings& around_;

  uint64_t event(uint32_t which) const {
    if (which < 10) return around_.args[which];
    if (which == 10) return around_.pid;
    if (which == 11) return around_.tid;
    return which == 12 ? around_.uid : around_.timestamp;
  }

  uint64_t* place(const Term& term) {
    switch (term.kind) {
      case TermKind::Variable: return &around_.integers[term.index];
      case TermKind::Field: return &around_.fields[term.index];
      case TermKind::Element: return &around_.elements[number(*term.kids[0])];
      case TermKind::Item: return &around_.items[number(*term.kids[0]) & 7];
      default: return &around_.block.at(pointer(*term.kids[0]) - kBlockStart);
    }
  }

  uint64_t pointer(const Term& term) {
    switch (term.kind) {
      case TermKind::Variable: return term.index ? around_.pointer : kBlockStart;
      case TermKind::Assign: return around_.pointer = pointer(*term.kids[1]);
      case TermKind::Conditional: return pointer(*term.kids[condition(*term.kids[0]) ? 1 : 2]);
      case TermKind::Step: {
        uint64_t before = around_.pointer;
        around_.pointer += term.op == "+" ? 1 : ~0ull;
        return term.postfix ? before : around_.pointer;
      }
      default: {
        if (!term.kids[1]->type.is_integer()) return number(*term.kids[0]) + pointer(*term.kids[1]);
        uint64_t left = pointer(*term.kids[0]), right = number(*term.kids[1]);
        return term.op == "+" ? left + right : left - right;
      }
    }
  }

  bool condition(const Term& term) {
    if (term.type.kind == TermType::Kind::Pointer) return pointer(term), true;
    if (term.type.kind == TermType::Kind::String) return string(term), true;
    return number(term) != 0;
  }

  uint64_t unary(const Term& term) {
    if (term.op == "!") return !condition(*term.kids[0]);
    uint64_t value = number(*term.kids[0]);
    return term.op == "-" ? 0 - value : term.op == "~" ? ~value : value;
  }

  uint64_t logical(const Term& term) {
    bool left = condition(*term.kids[0]);
    if (term.op == "&&" && !left) return 0;
    if (term.op == "||" && left) return 1;
    bool right = condition(*term.kids[1]);
    return term.op == "^^" ? left != right : right;
  }

  static TermType promoted_for(const Term& term) { return promoted(term.kids[0]->type, term.kids[1]->type); }

  uint64_t binary(const Term& term) {
    const Term &a = *term.kids[0], &b = *term.kids[1];
    if (a.type.kind == TermType::Kind::String) {
      std::string x = string(a), y = string(b);
      return compare(term.op, x.compare(y) < 0, x == y);
    }
    if (a.type.kind == TermType::Kind::Pointer) {
      uint64_t x = pointer(a), y = pointer(b);
      return term.op == "-" ? x - y : compare(term.op, x < y, x == y);
    }
    uint64_t x = number(a), y = number(b);
    const bool compares = term.op == "==" || term.op == "!=" || term.op[0] == '<' || term.op[0] == '>';
    const bool shifts = term.op == "<<" || term.op == ">>";
    return arithmetic(term.op, compares && !shifts ? compared(a.type, b.type) : promoted_for(term), a.type, x, y);
  }

  static uint64_t compare(const std::string& op, bool less, bool equal) {
    if (op == "==") return equal;
    if (op == "!=") return !equal;
    if (op == "<") return less;
    if (op == "<=") return less || equal;
    return op == ">" ? !less && !equal : !less;
  }

  static uint64_t arithmetic(const std::string& op, TermType common, TermType left, uint64_t a, uint64_t b) {
    auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "&") return a & b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "<<") return b > 63 ? 0 : a << b;
    if (op == ">>") {
      if (b > 63) return 0;
      return promoted(left).is_signed ? static_cast<uint64_t>(sa >> b) : a >> b;
    }
    if (op == "/") {
      if (!common.is_signed) return a / b;
      return sb == -1 ? 0 - a : static_cast<uint64_t>(sa / sb);
    }
    if (op == "%") {
      if (!common.is_signed) return a % b;
      return sb == -1 ? 0 : static_cast<uint64_t>(sa % sb);
    }
    return compare(op, common.is_signed ? sa < sb : a < b, a == b);
  }

  uint64_t call(const Term& term) {
    std::string text = string(*term.kids[0]);
    if (term.text == "strlen") return text.size();
    std::string part = string(*term.kids[1]);
    size_t found = term.text == "index" ? text.find(part) : text.rfind(part);
    return found == std::string::npos ? ~0ull : found;
  }

  /// By Perl's rules.
  static std::string substring(const std::string& text, int64_t at, bool bounded, int64_t count) {
    auto length = static_cast<int64_t>(text.size());
    int64_t from = at < 0 ? length + at : at;
    int64_t to = !bounded ? length : count < 0 ? length + count : from + count;
    from = std::max<int64_t>(from, 0);
    to = std::min(to, length);
    return from < to ? text.substr(static_cast<size_t>(from), static_cast<size_t>(to - from)) : "";
  }

  /// A literal as the generator writes it: with no escapes except \xHH.
  static std::string unquoted(const std::string& text) {
    std::string out;
    for (size_t i = 1; i + 1 < text.size(); ++i) {
      bool escape = text[i] == '\\';
      out += escape ? static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16)) : text[i];
      if (escape) i += 3;
    }
    return out;
  }
};

}  // namespace sonde::test
