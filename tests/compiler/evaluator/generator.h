// SPDX-License-Identifier: GPL-3.0-or-later
// Random terms.
#pragma once

#include <cstdio>
#include <random>
#include <string>

#include "tests/compiler/evaluator/walker.h"

namespace sonde::test {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  /// A term of the event alone, which the fire part can compute as well.
  TermPtr of_event(int depth) {
    pure_ = true;
    TermPtr term = integer(depth);
    pure_ = false;
    return term;
  }

  TermPtr integer(int depth) {
    if (depth == 0 || pick(7) == 0) return leaf();
    if (!pure_ && pick(3) == 0) return impure(depth - 1);
    switch (pick(11)) {
      case 0: return cast(depth - 1);
      case 1: return unary(depth - 1);
      case 2: return make(TermKind::Logical, kInt, any({"&&", "||", "^^"}), scalar(depth - 1), scalar(depth - 1));
      case 3: {
        TermPtr test = condition(depth - 1), yes = integer(depth - 1), no = integer(depth - 1);
        TermType type = promoted(yes->type, no->type);
        return make(TermKind::Conditional, type, "", std::move(test), std::move(yes), std::move(no));
      }
      case 4: return division(depth - 1);
      case 5: {
        TermPtr left = integer(depth - 1), by = pick(4) ? literal(pick(70)) : integer(depth - 1);
        TermType type = promoted(left->type);
        return make(TermKind::Binary, type, any({"<<", ">>"}), std::move(left), std::move(by));
      }
      case 6: return make(TermKind::Binary, kInt, comparison(), integer(depth - 1), integer(depth - 1));
      default: {
        TermPtr left = integer(depth - 1), right = integer(depth - 1);
        TermType type = promoted(left->type, right->type);
        return make(TermKind::Binary, type, any({"+", "-", "*", "&", "|", "^"}), std::move(left), std::move(right));
      }
    }
  }

  TermPtr string(int depth) {
    if (depth == 0 || pick(4) == 0) return pick(2) ? variable(kString, pick(kStrings)) : text();
    switch (pick(6)) {
      case 0:
        return make(TermKind::Conditional, kString, "", condition(depth - 1), string(depth - 1), string(depth - 1));
      case 1: return call("lltostr", kString, integer(depth - 1));
      case 2: return call("substr", kString, string(depth - 1), small(depth - 1));
      case 3: return call("substr", kString, string(depth - 1), small(depth - 1), small(depth - 1));
      case 4: return make(TermKind::Assign, kString, "", variable(kString, pick(kStrings)), string(depth - 1));
      default: return call("strjoin", kString, string(depth - 1), string(depth - 1));
    }
  }

  uint64_t value() {
    constexpr uint64_t kEdges[] = {0,   1,          2,          63,         64,    127,        128,
                                   255, 0x7fffffff, 0x80000000, 0xffffffff, ~0ull, 1ull << 63, (1ull << 63) - 1};
    if (pick(2)) return kEdges[pick(std::size(kEdges))];
    return random_() >> pick(64);
  }
  uint64_t pick(uint64_t below) { return random_() % below; }

  /// A constant in any notation, with the type that this gives it.
  TermPtr literal(uint64_t value) {
    auto term = std::make_unique<Term>();
    term->value = value;
    char text[40];
    if (value >= 'a' && value <= 'z' && pick(2)) {
      term->text = std::string("'") + static_cast<char>(value) + "'";
      return term;
    }
    uint64_t radix = pick(3);
    static const char* const kFormats[] = {"%llu", "0x%llx", "0%llo"};
    std::snprintf(text, sizeof text, kFormats[radix], static_cast<unsigned long long>(value));
    uint64_t suffix = pick(6);
    static const char* const kSuffixes[] = {"", "", "", "u", "l", "UL"};
    term->text = std::string(text) + kSuffixes[suffix];
    bool is_unsigned = suffix == 3 || suffix == 5, is_long = suffix >= 4;
    if (!is_long && !is_unsigned && value <= INT32_MAX)
      term->type = kInt;
    else if (!is_long && value <= UINT32_MAX && (is_unsigned || radix != 0))
      term->type = {TermType::Kind::Integer, 4, false};
    else
      term->type = !is_unsigned && value <= INT64_MAX ? kLong : kUlong;
    return term;
  }

 private:
  std::mt19937_64 random_;
  bool pure_ = false;

  std::string any(std::initializer_list<const char*> list) { return list.begin()[pick(list.size())]; }
  std::string comparison() { return any({"==", "!=", "<", "<=", ">", ">="}); }

  template <typename... Kids>
  TermPtr make(TermKind kind, TermType type, std::string op, Kids... kids) {
    auto term = std::make_unique<Term>();
    term->kind = kind;
    term->type = type;
    term->op = std::move(op);
    (term->kids.push_back(std::move(kids)), ...);
    return term;
  }
  template <typename... Kids>
  TermPtr call(const char* name, TermType type, Kids... kids) {
    TermPtr term = make(TermKind::Call, type, "", std::move(kids)...);
    term->text = name;
    return term;
  }
  TermPtr variable(TermType type, uint64_t index) {
    TermPtr term = make(TermKind::Variable, type, "");
    term->index = static_cast<uint32_t>(index);
    return term;
  }

  /// A condition of ?:. Never a constant, because then the other arm is dropped, and its type has no effect.
  TermPtr condition(int depth) {
    TermPtr left = event(), right = integer(depth);
    TermType type = promoted(left->type, right->type);
    return make(TermKind::Binary, type, "^", std::move(left), std::move(right));
  }

  TermPtr leaf() {
    uint64_t kind = pick(pure_ ? 5 : 8);
    if (kind >= 5) return place(0);
    if (kind >= 3) return literal(value());
    return event();
  }

  TermPtr event() {
    static const char* const kNames[] = {"pid", "tid", "uid", "timestamp"};
    static constexpr TermType kTypes[] = {kInt, kInt, {TermType::Kind::Integer, 4, false}, kUlong};
    uint64_t which = pick(3) ? pick(10) : 10 + pick(4);
    TermPtr term = make(TermKind::Event, which < 10 ? kLong : kTypes[which - 10], "");
    term->index = static_cast<uint32_t>(which);
    term->text = which < 10 ? "arg" + std::to_string(which) : kNames[which - 10];
    return term;
  }

  /// The type of an assignment, and of a comma expression that ends with one: the declared type of the place.
  static TermType kept(const Term& place) {
    TermType type = place.type;
    type.bits = 0;
    return type;
  }

  /// A term that can be assigned to.
  TermPtr place(int depth) {
    switch (pick(depth > 0 ? 6 : 3)) {
      case 0: {
        uint64_t which = pick(std::size(kFields));
        TermPtr term = make(TermKind::Field, kFields[which], "");
        term->index = static_cast<uint32_t>(which);
        return term;
      }
      case 3: return make(TermKind::Element, kLong, "", masked(depth - 1, 3));
      case 4: return make(TermKind::Item, kLong, "", integer(depth - 1));
      case 5: return make(TermKind::Deref, kInt, "", inside(depth - 1));
      default: {
        uint64_t which = pick(kIntegers);
        return variable(variable_type(static_cast<uint32_t>(which)), which);
      }
    }
  }

  /// A term with side effects, or one that reads what they change.
  TermPtr impure(int depth) {
    switch (pick(12)) {
      case 0: {
        TermPtr to = place(depth), from = integer(depth);
        TermType type = kept(*to);
        return make(TermKind::Assign, type, "", std::move(to), std::move(from));
      }
      case 1: return update(depth);
      case 2: {
        TermPtr to = place(depth);
        TermType type = kept(*to);
        TermPtr term = make(TermKind::Step, type, any({"+", "-"}), std::move(to));
        term->postfix = pick(2);
        return term;
      }
      case 3: {
        TermPtr first = pick(4) ? integer(depth) : string(depth), last = integer(depth);
        TermType type = kept(*last);
        return make(TermKind::Comma, type, "", std::move(first), std::move(last));
      }
      case 4: return make(TermKind::Binary, kInt, comparison(), string(depth), string(depth));
      case 5: return make(TermKind::Binary, kInt, comparison(), pointer(depth), pointer(depth));
      case 6: return make(TermKind::Binary, kLong, "-", pointer(depth), pointer(depth));
      case 7: return call("strlen", kUlong, string(depth));
      case 8: return call(pick(2) ? "index" : "rindex", kInt, string(depth), text());
      case 9: {  // bytes after the end of a string are undefined
        TermPtr longer = call("strjoin", kString, string(depth), text());
        longer->kids[1]->text = "\"wxyz\\xe9\\x80yx\"";
        return make(TermKind::CharAt, kChar, "", std::move(longer), integer(depth));
      }
      case 10: {
        TermPtr test = make(TermKind::NullTest, kInt, any({"==", "!="}));
        test->kids.push_back(call("strchr", kString, string(depth), literal('w' + pick(4))));
        return test;
      }
      default: return place(depth);
    }
  }

  TermPtr update(int depth) {
    static const char* const kOps[] = {"+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"};
    uint64_t which = pick(std::size(kOps));
    TermPtr to = place(depth);
    TermPtr from = which < 6 ? integer(depth) : which < 8 ? literal(pick(70)) : literal(value() | 1);
    TermType type = kept(*to);
    return make(TermKind::Update, type, kOps[which], std::move(to), std::move(from));
  }

  /// kid & (2^bits - 1), or a small number.
  TermPtr masked(int depth, unsigned bits) {
    uint64_t mask = (1u << bits) - 1;
    if (pick(3) == 0) return literal(pick(mask + 1));
    TermPtr kid = integer(depth), by = plain(mask);
    TermType type = promoted(kid->type, by->type);
    return make(TermKind::Binary, type, "&", std::move(kid), std::move(by));
  }

  /// -8 to 7.
  TermPtr small(int depth) {
    return make(TermKind::Binary, kInt, "-", make(TermKind::Cast, kInt, "", masked(depth, 4)), plain(8));
  }
  TermPtr plain(uint64_t value) {
    auto term = std::make_unique<Term>();
    term->value = value;
    term->text = std::to_string(value);
    return term;
  }

  TermPtr scalar(int depth) {
    if (pure_ || pick(6)) return integer(depth);
    return pointer(depth);
  }

  TermPtr pointer(int depth) {
    if (depth <= 0 || pick(3) == 0) return variable(kPointer, pick(2));
    if (pick(5) == 0) {
      TermPtr step = make(TermKind::Step, kPointer, any({"+", "-"}), variable(kPointer, 1));
      step->postfix = pick(2);
      return step;
    }
    if (pick(5) == 0)
      return make(TermKind::Conditional, kPointer, "", condition(depth - 1), pointer(depth - 1), pointer(depth - 1));
    return inside(depth - 1);
  }

  /// A pointer to an int of the block.
  TermPtr inside(int depth) {
    TermPtr base = variable(kPointer, 0), offset = masked(depth, 4);
    bool swapped = pick(4) == 0;
    TermPtr sum = make(TermKind::Binary, kPointer, "+", swapped ? std::move(offset) : std::move(base),
                       swapped ? std::move(base) : std::move(offset));
    if (pick(4)) return sum;
    return make(TermKind::Assign, kPointer, "", variable(kPointer, 1), std::move(sum));
  }

  TermPtr text() {
    auto term = std::make_unique<Term>();
    term->type = kString;
    term->text = "\"";
    for (uint64_t i = pick(7); i > 0; --i)
      term->text += pick(12) ? std::string(1, static_cast<char>('w' + pick(4))) : "\\xe9";
    term->text += "\"";
    return term;
  }

  TermPtr cast(int depth) {
    TermType type{TermType::Kind::Integer, static_cast<uint8_t>(1u << pick(4)), pick(2) == 0};
    return make(TermKind::Cast, type, "", integer(depth));
  }

  TermPtr unary(int depth) {
    if (pick(8) == 0) {
      TermPtr of = integer(depth);
      if (of->type.bits) of = cast(0);
      uint64_t size = of->type.size;
      TermPtr term = make(TermKind::Sizeof, kUlong, "", std::move(of));
      term->value = size;
      return term;
    }
    std::string op = any({"-", "~", "!", "+"});
    TermPtr kid = op == "!" ? scalar(depth) : integer(depth);
    TermType type = op == "!" ? kInt : promoted(kid->type);
    return make(TermKind::Unary, type, op, std::move(kid));
  }

  /// Divides by a constant that is not zero, or by a term that cannot be zero.
  TermPtr division(int depth) {
    TermPtr left = integer(depth), by = pick(2) ? literal(value() | 1) : nullptr;
    if (!by) {
      TermPtr some = integer(depth), one = plain(1);
      TermType odd = promoted(some->type, one->type);
      by = make(TermKind::Binary, odd, "|", std::move(some), std::move(one));
    }
    TermType type = promoted(left->type, by->type);
    return make(TermKind::Binary, type, any({"/", "%"}), std::move(left), std::move(by));
  }
};

}  // namespace sonde::test
