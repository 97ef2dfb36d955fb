// SPDX-License-Identifier: GPL-3.0-or-later
// The third evaluator: walks the tree of an integer expression, as plainly as D-LANGUAGE.md, section 8 says it.
// The fire part and the body must agree with it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "compiler/ast/ast.h"

namespace sonde::test {

struct Situation {
  std::array<uint64_t, 10> args{};
  uint32_t pid = 0, tid = 0, uid = 0;
  uint64_t timestamp = 0;
  std::map<uint32_t, uint64_t> variables;
};

/// Nothing: division by zero.
class Evaluator {
 public:
  explicit Evaluator(Situation& world) : world_(world) {}

  std::optional<uint64_t> operator()(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Integer: return expr.integer;
      case ExprKind::Variable: return world_.variables[expr.variable_index];
      case ExprKind::Builtin: return builtin(*expr.builtin);
      case ExprKind::Cast: return cut((*this)(*expr.kids[0]), *expr.type);
      case ExprKind::Unary: return unary(expr);
      case ExprKind::Binary:
        return binary(expr.op, *expr.kids[0]->type, *expr.kids[1]->type, (*this)(*expr.kids[0]),
                      (*this)(*expr.kids[1]));
      case ExprKind::Logical: return logical(expr);
      case ExprKind::Conditional: {
        auto condition = (*this)(*expr.kids[0]);
        if (!condition) return condition;
        return (*this)(*expr.kids[*condition != 0 ? 1 : 2]);
      }
      case ExprKind::Comma: {
        std::optional<uint64_t> last;
        for (const ExprPtr& kid : expr.kids)
          if (!(last = (*this)(*kid))) return last;
        return last;
      }
      case ExprKind::Assign: {
        auto value = cut((*this)(*expr.kids[1]), *expr.kids[0]->type);
        if (value) world_.variables[expr.kids[0]->variable_index] = *value;
        return value;
      }
      case ExprKind::Update: {
        uint64_t before = world_.variables[expr.kids[0]->variable_index];
        auto right = (*this)(*expr.kids[1]);
        auto after = cut(binary(expr.op, *expr.kids[0]->type, *expr.kids[1]->type, before, right), *expr.kids[0]->type);
        if (!after) return after;
        world_.variables[expr.kids[0]->variable_index] = *after;
        return expr.postfix ? before : *after;
      }
      default: return std::nullopt;
    }
  }

  static std::optional<uint64_t> cut(std::optional<uint64_t> value, const Type& type) {
    if (!value) return value;
    switch (type.size) {
      case 1: return type.is_signed ? static_cast<uint64_t>(static_cast<int8_t>(*value)) : static_cast<uint8_t>(*value);
      case 2:
        return type.is_signed ? static_cast<uint64_t>(static_cast<int16_t>(*value)) : static_cast<uint16_t>(*value);
      case 4:
        return type.is_signed ? static_cast<uint64_t>(static_cast<int32_t>(*value)) : static_cast<uint32_t>(*value);
    }
    return value;
  }

 private:
  Situation& world_;

  uint64_t builtin(const DVariable& variable) const {
    if (variable.from == From::Argument) return world_.args[variable.which];
    if (variable.name == "pid") return world_.pid;
    if (variable.name == "tid") return world_.tid;
    if (variable.name == "uid") return world_.uid;
    return world_.timestamp;
  }

  std::optional<uint64_t> unary(const Expr& expr) {
    auto kid = (*this)(*expr.kids[0]);
    if (!kid) return kid;
    if (expr.op == Op::Neg) return 0 - *kid;
    if (expr.op == Op::Not) return ~*kid;
    return *kid == 0;
  }

  std::optional<uint64_t> logical(const Expr& expr) {
    auto left = (*this)(*expr.kids[0]);
    if (!left) return left;
    if (expr.op == Op::LogAnd && *left == 0) return 0;
    if (expr.op == Op::LogOr && *left != 0) return 1;
    auto right = (*this)(*expr.kids[1]);
    if (!right) return right;
    return expr.op == Op::LogXor ? (*left != 0) != (*right != 0) : *right != 0;
  }

  /// C's conversions: operands narrower than int are ints; the wider type wins, and of equal widths the unsigned one.
  static bool works_unsigned(const Type& a, const Type& b) {
    uint64_t wide_a = a.size < 4 ? 4 : a.size, wide_b = b.size < 4 ? 4 : b.size;
    bool unsigned_a = a.size >= 4 && !a.is_signed, unsigned_b = b.size >= 4 && !b.is_signed;
    if (wide_a == wide_b) return unsigned_a || unsigned_b;
    return wide_a > wide_b ? unsigned_a : unsigned_b;
  }

  static std::optional<uint64_t> binary(Op op, const Type& left, const Type& right, std::optional<uint64_t> x,
                                        std::optional<uint64_t> y) {
    if (!x || !y) return std::nullopt;
    uint64_t a = *x, b = *y;
    auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    bool plain = works_unsigned(left, right);
    switch (op) {
      case Op::Add: return a + b;
      case Op::Sub: return a - b;
      case Op::Mul: return a * b;
      case Op::Div:
        if (b == 0) return std::nullopt;
        if (plain) return a / b;
        return sb == -1 ? 0 - a : static_cast<uint64_t>(sa / sb);
      case Op::Mod:
        if (b == 0) return std::nullopt;
        if (plain) return a % b;
        return sb == -1 ? 0 : static_cast<uint64_t>(sa % sb);
      case Op::And: return a & b;
      case Op::Or: return a | b;
      case Op::Xor: return a ^ b;
      case Op::Shl: return b > 63 ? 0 : a << b;
      case Op::Shr:
        if (b > 63) return 0;
        return left.size >= 4 && !left.is_signed ? a >> b : static_cast<uint64_t>(sa >> b);
      case Op::Eq: return a == b;
      case Op::Ne: return a != b;
      case Op::Lt: return plain ? a < b : sa < sb;
      case Op::Le: return plain ? a <= b : sa <= sb;
      case Op::Gt: return plain ? a > b : sa > sb;
      case Op::Ge: return plain ? a >= b : sa >= sb;
      default: return std::nullopt;
    }
  }
};

}  // namespace sonde::test
