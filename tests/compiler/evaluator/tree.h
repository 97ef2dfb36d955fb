// SPDX-License-Identifier: GPL-3.0-or-later
// Builds lowered trees by hand, like those of the checker.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "compiler/lowered/lowered.h"
#include "runtime/program/program.h"

namespace sonde::test {

/// C's integers, pointers, and string, without a TypeTable.
inline Type* make_type(Type::Kind kind, std::string name, uint64_t size, bool is_signed) {
  static std::deque<Type> types;  // they live as long as the test program
  Type* type = &types.emplace_back();
  type->kind = kind;
  type->name = std::move(name);
  type->size = size;
  type->is_signed = is_signed;
  type->canonical = type;
  return type;
}

inline const Type* integer_type(uint32_t size, bool is_signed) {
  static const Type* types[2][9] = {};
  const Type*& type = types[is_signed][size];
  if (!type)
    type =
        make_type(Type::Kind::Integer, (is_signed ? "int" : "uint") + std::to_string(8 * size) + "_t", size, is_signed);
  return type;
}
inline const Type* int_type() { return integer_type(4, true); }
inline const Type* long_type() { return integer_type(8, true); }
inline const Type* ulong_type() { return integer_type(8, false); }
inline const Type* string_type() {
  static const Type* type = make_type(Type::Kind::String, "string", 256, false);
  return type;
}
inline const Type* void_type() {
  static const Type* type = make_type(Type::Kind::Void, "void", 0, false);
  return type;
}
inline const Type* stack_type() {
  static const Type* type = make_type(Type::Kind::Stack, "stack", 0, false);
  return type;
}
inline const Type* pointer_type(const Type* target) {
  Type* type = make_type(Type::Kind::Pointer, target->name + " *", 8, false);
  type->target = target;
  return type;
}
inline const Type* bytes_type(uint64_t size) {
  return make_type(Type::Kind::Struct, "struct s" + std::to_string(size), size, false);
}

template <typename... Kids>
LoweredExprPtr node(LoweredKind kind, const Type* type, Kids... kids) {
  auto expr = std::make_unique<LoweredExpr>();
  expr->kind = kind;
  expr->type = type;
  (expr->kids.push_back(std::move(kids)), ...);
  return expr;
}

inline LoweredExprPtr number(uint64_t value, const Type* type = int_type()) {
  LoweredExprPtr expr = node(LoweredKind::Integer, type);
  expr->integer = value;
  return expr;
}
inline LoweredExprPtr text(std::string value) {
  LoweredExprPtr expr = node(LoweredKind::String, string_type());
  expr->text = std::move(value);
  return expr;
}
inline LoweredExprPtr builtin(std::string_view name, const Type* type = long_type()) {
  LoweredExprPtr expr = node(LoweredKind::Builtin, type);
  expr->builtin = find_variable(name);
  EXPECT_NE(expr->builtin, nullptr) << name;
  return expr;
}
inline LoweredExprPtr binary(Op op, LoweredExprPtr a, LoweredExprPtr b, const Type* type) {
  LoweredExprPtr expr = node(LoweredKind::Binary, type, std::move(a), std::move(b));
  expr->op = op;
  return expr;
}
inline LoweredExprPtr binary(Op op, LoweredExprPtr a, LoweredExprPtr b) {
  return binary(op, std::move(a), std::move(b), long_type());
}
inline LoweredExprPtr logical(Op op, LoweredExprPtr a, LoweredExprPtr b) {
  LoweredExprPtr expr = node(LoweredKind::Logical, int_type(), std::move(a), std::move(b));
  expr->op = op;
  return expr;
}
inline LoweredExprPtr unary(Op op, LoweredExprPtr a, const Type* type) {
  LoweredExprPtr expr = node(LoweredKind::Unary, type, std::move(a));
  expr->op = op;
  return expr;
}
inline LoweredExprPtr cast(const Type* type, LoweredExprPtr kid) {
  return node(LoweredKind::Cast, type, std::move(kid));
}
inline LoweredExprPtr deref(LoweredExprPtr pointer, const Type* type) {
  return node(LoweredKind::Deref, type, std::move(pointer));
}
inline LoweredExprPtr assign(LoweredExprPtr target, LoweredExprPtr value) {
  const Type* type = target->type;
  return node(LoweredKind::Assign, type, std::move(target), std::move(value));
}
inline LoweredExprPtr update(Op op, LoweredExprPtr target, LoweredExprPtr value, bool postfix = false) {
  const Type* type = target->type;
  LoweredExprPtr expr = node(LoweredKind::Update, type, std::move(target), std::move(value));
  expr->op = op;
  expr->postfix = postfix;
  return expr;
}
template <typename... Kids>
LoweredExprPtr call(std::string_view name, const Type* type, Kids... kids) {
  LoweredExprPtr expr = node(LoweredKind::Call, type, std::move(kids)...);
  expr->function = find_function(name);
  EXPECT_NE(expr->function, nullptr) << name;
  return expr;
}

/// A program with variables, and their names.
struct Tables {
  BodyProgram program;
  std::vector<const Type*> types;  ///< of variables

  uint32_t add(VariableDesc::Scope scope, std::string name, const Type* type) {
    uint32_t& cells = scope == VariableDesc::Scope::Global ? program.global_cells
                      : scope == VariableDesc::Scope::Self ? program.self_cells
                                                           : program.this_cells;
    ValueType value;
    if (type->is_string()) value.kind = ValueType::Kind::String;
    program.variables.push_back({std::move(name), scope, value, cells++});
    types.push_back(type);
    return static_cast<uint32_t>(program.variables.size() - 1);
  }
  LoweredExprPtr variable(uint32_t index) const {
    LoweredExprPtr expr = node(LoweredKind::Variable, types[index]);
    expr->variable_index = index;
    return expr;
  }
};

inline LoweredStatement statement(LoweredExprPtr expr) {
  LoweredStatement result;
  result.expression = std::move(expr);
  return result;
}

template <typename... Expressions>
LoweredClause clause(LoweredExprPtr predicate, Expressions... expressions) {
  LoweredClause result;
  result.predicate = std::move(predicate);
  (result.statements.push_back(statement(std::move(expressions))), ...);
  return result;
}

}  // namespace sonde::test
