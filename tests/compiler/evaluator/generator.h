// SPDX-License-Identifier: GPL-3.0-or-later
// Random integer expressions.
#pragma once

#include <random>

#include "tests/compiler/evaluator/tree.h"

namespace sonde::test {

class Generator {
 public:
  Generator(uint64_t seed, const Tables& tables, uint32_t variables)
      : random_(seed), tables_(tables), variables_(variables) {}

  ExprPtr expression(int depth) {
    if (depth == 0 || pick(6) == 0) return leaf();
    switch (pick(10)) {
      case 0: return cast(type(), expression(depth - 1));
      case 1: return unary(any({Op::Neg, Op::Not, Op::LogNot}), expression(depth - 1), long_type());
      case 2: return logical(any({Op::LogAnd, Op::LogOr, Op::LogXor}), expression(depth - 1), expression(depth - 1));
      case 3:
        return node(ExprKind::Conditional, long_type(), expression(depth - 1), expression(depth - 1),
                    expression(depth - 1));
      case 4: return division(depth);
      case 5:
        return binary(any({Op::Shl, Op::Shr}), expression(depth - 1),
                      pick(3) ? number(pick(70)) : expression(depth - 1));
      case 6:
        return binary(any({Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge}), expression(depth - 1),
                      expression(depth - 1), int_type());
      default:
        return binary(any({Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor}), expression(depth - 1),
                      expression(depth - 1), type());
    }
  }

  uint64_t value() {
    constexpr uint64_t kEdges[] = {0,   1,          2,          63,         64,    127,        128,
                                   255, 0x7fffffff, 0x80000000, 0xffffffff, ~0ull, 1ull << 63, (1ull << 63) - 1};
    if (pick(2)) return kEdges[pick(std::size(kEdges))];
    return random_() >> pick(64);
  }

 private:
  std::mt19937_64 random_;
  const Tables& tables_;
  uint32_t variables_;

  uint64_t pick(uint64_t below) { return random_() % below; }
  Op any(std::initializer_list<Op> operators) { return operators.begin()[pick(operators.size())]; }
  const Type* type() { return integer_type(1u << pick(4), pick(2)); }

  ExprPtr leaf() {
    switch (pick(6)) {
      case 0: return builtin("arg" + std::to_string(pick(10)));
      case 1: return builtin(pick(2) ? "pid" : "tid", int_type());
      case 2: return builtin("uid", integer_type(4, false));
      case 3: return builtin("timestamp", ulong_type());
      case 4:
        if (variables_ && pick(4) == 0) return tables_.variable(static_cast<uint32_t>(pick(variables_)));
        [[fallthrough]];
      default: return number(value(), type());
    }
  }

  /// By a constant that is not zero, or by something that cannot be.
  ExprPtr division(int depth) {
    Op op = any({Op::Div, Op::Mod});
    ExprPtr dividend = expression(depth - 1);
    if (pick(2)) return binary(op, std::move(dividend), number(pick(2) ? ~0ull : value() | 1, type()));
    return binary(op, std::move(dividend), binary(Op::Or, expression(depth - 1), number(1)));
  }
};

}  // namespace sonde::test
