// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions of the differential test: typed by C's rules, not by the checker, and written as D.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sonde::test {

/// An integer of `size` bytes, a string, or a pointer to int.
struct TermType {
  enum class Kind : uint8_t { Integer, String, Pointer };
  Kind kind = Kind::Integer;
  uint8_t size = 4;
  bool is_signed = true;
  uint8_t bits = 0;  ///< width of a bit-field; 0: not a bit-field

  bool is_integer() const { return kind == Kind::Integer; }
};
inline constexpr TermType kInt{}, kLong{TermType::Kind::Integer, 8, true}, kUlong{TermType::Kind::Integer, 8, false},
    kChar{TermType::Kind::Integer, 1, true}, kString{TermType::Kind::String}, kPointer{TermType::Kind::Pointer};

/// The type of an operand in arithmetic: D promotes only bit-fields that are narrower than int.
inline TermType promoted(TermType type) {
  if (type.bits != 0 && type.bits < 32) return kInt;
  type.bits = 0;
  return type;
}

/// The type of a result: that of the larger operand; of two of the same size, that of the unsigned one.
inline TermType promoted(TermType a, TermType b) {
  a = promoted(a);
  b = promoted(b);
  if (a.size != b.size) return a.size > b.size ? a : b;
  return a.is_signed ? b : a;
}

/// The type in which two numbers are compared: C's usual arithmetic conversions.
inline TermType compared(TermType a, TermType b) {
  const TermType common = promoted(a, b);
  return common.size < 4 ? kInt : common;
}

/// A value as a variable of the type stores it, extended to 64 bits.
inline uint64_t cut(uint64_t value, TermType type) {
  unsigned width = type.bits ? type.bits : type.size * 8u;
  if (width == 64) return value;
  value &= (1ull << width) - 1;
  return type.is_signed && value >> (width - 1) ? value | ~0ull << width : value;
}

enum class TermKind : uint8_t {
  Literal,   ///< `value`, written as `text`
  Event,     ///< arg0 to arg9, pid, tid, uid, timestamp: `text`, number `index`
  Variable,  ///< `index` into the variables of `type`'s kind: v0.. s0.. q
  Field,     ///< bit-field b.f<index>
  Element,   ///< a[kid], associative
  Item,      ///< h[kid & 7], an array
  Deref,     ///< *kid
  Unary,     ///< `op` kid
  Binary,    ///< kid `op` kid: arithmetic; comparison of integers, strings, pointers; pointer arithmetic
  Logical,
  Conditional,
  Comma,
  Assign,
  Update,   ///< kid `op`= kid
  Step,     ///< ++ and --: `op` + or -, `postfix`
  Cast,     ///< to `type`
  Sizeof,   ///< of kid, or of the type written as `text`; the size is `value`
  CharAt,   ///< kid[kid & 7] of a string
  Call,     ///< subroutine `text`
  NullTest  ///< kid[0], a strchr(), compared with NULL by `op`
};

struct Term;
using TermPtr = std::unique_ptr<Term>;

struct Term {
  TermKind kind = TermKind::Literal;
  TermType type;
  std::string op, text;
  uint64_t value = 0;
  uint32_t index = 0;
  bool postfix = false;
  std::vector<TermPtr> kids;
};

/// Writes a term with as few parentheses as D's precedences allow.
class TermWriter {
 public:
  /// Writes a term as the right side of a =.
  std::string operator()(const Term& term) const { return write(term, kAssign); }

 private:
  enum Level : int { kComma, kAssign, kConditional, kUnary = 14, kPostfix, kPrimary };

  static int level_of(const Term& term) {
    switch (term.kind) {
      case TermKind::Comma: return kComma;
      case TermKind::Assign:
      case TermKind::Update: return kAssign;
      case TermKind::Conditional: return kConditional;
      case TermKind::Binary:
      case TermKind::Logical:
      case TermKind::NullTest: return level_of(term.op);
      case TermKind::Unary:
      case TermKind::Cast:
      case TermKind::Deref:
      case TermKind::Sizeof: return kUnary;
      case TermKind::Step: return term.postfix ? kPostfix : kUnary;
      case TermKind::CharAt:
      case TermKind::Element:
      case TermKind::Item:
      case TermKind::Field:
      case TermKind::Call: return kPostfix;
      default: return kPrimary;
    }
  }

  static int level_of(const std::string& op) {
    static const std::pair<const char*, int> kLevels[] = {{"||", 3},  {"^^", 4},  {"&&", 5},  {"|", 6},   {"^", 7},
                                                          {"&", 8},   {"==", 9},  {"!=", 9},  {"<", 10},  {">", 10},
                                                          {"<=", 10}, {">=", 10}, {"<<", 11}, {">>", 11}, {"+", 12},
                                                          {"-", 12},  {"*", 13},  {"/", 13},  {"%", 13}};
    for (const auto& [name, level] : kLevels)
      if (op == name) return level;
    return kPrimary;
  }

  /// Adds parentheses if it binds less than `least`.
  std::string write(const Term& term, int least) const {
    std::string text = bare(term);
    return level_of(term) < least ? "(" + text + ")" : text;
  }
  std::string kid(const Term& term, size_t at, int least) const { return write(*term.kids[at], least); }

  std::string bare(const Term& term) const {
    switch (term.kind) {
      case TermKind::Literal:
      case TermKind::Event: return term.text;
      case TermKind::Variable: return name(term);
      case TermKind::Field: return "b.f" + std::to_string(term.index);
      case TermKind::Element: return "a[" + kid(term, 0, kAssign) + "]";
      case TermKind::Item: return "h[" + kid(term, 0, 9) + " & 7]";
      case TermKind::Deref: return "*" + kid(term, 0, kUnary);
      case TermKind::Unary: return prefixed(term.op, kid(term, 0, kUnary));
      case TermKind::Binary:
      case TermKind::Logical: {
        int level = level_of(term.op);
        return kid(term, 0, level) + " " + term.op + " " + kid(term, 1, level + 1);
      }
      case TermKind::Conditional:
        return kid(term, 0, kConditional + 1) + " ? " + kid(term, 1, kAssign) + " : " + kid(term, 2, kConditional);
      case TermKind::Comma: return kid(term, 0, kComma) + ", " + kid(term, 1, kAssign);
      case TermKind::Assign: return kid(term, 0, kUnary) + " = " + kid(term, 1, kAssign);
      case TermKind::Update: return kid(term, 0, kUnary) + " " + term.op + "= " + kid(term, 1, kAssign);
      case TermKind::Step: {
        std::string steps = term.op + term.op;
        return term.postfix ? kid(term, 0, kPostfix) + steps : prefixed(steps, kid(term, 0, kUnary));
      }
      case TermKind::Cast: return "(" + type_name(term.type) + ")" + kid(term, 0, kUnary);
      case TermKind::Sizeof: return "sizeof (" + (term.kids.empty() ? term.text : kid(term, 0, kComma)) + ")";
      case TermKind::CharAt: return kid(term, 0, kPostfix) + "[" + kid(term, 1, 9) + " & 7]";
      case TermKind::Call: {
        std::string text = term.text + "(";
        for (size_t i = 0; i < term.kids.size(); ++i) text += (i ? ", " : "") + kid(term, i, kAssign);
        return text + ")";
      }
      case TermKind::NullTest: return kid(term, 0, 10) + " " + term.op + " NULL";
    }
    return "";
  }

  static std::string prefixed(const std::string& op, const std::string& operand) {
    return op + (operand.front() == op.back() ? " " : "") + operand;
  }

  static std::string name(const Term& term) {
    switch (term.type.kind) {
      case TermType::Kind::Integer: return "v" + std::to_string(term.index);
      case TermType::Kind::String: return "s" + std::to_string(term.index);
      case TermType::Kind::Pointer: return term.index ? "this->q" : "this->p";
    }
    return "";
  }

 public:
  static std::string type_name(TermType type) {
    if (type.kind == TermType::Kind::String) return "string";
    if (type.kind == TermType::Kind::Pointer) return "int *";
    static const char* const kNames[] = {"char", "short", "int", "long"};
    return (type.is_signed ? "" : "unsigned ") + std::string(kNames[type.size == 8 ? 3 : type.size / 2]);
  }
};

}  // namespace sonde::test
