// SPDX-License-Identifier: GPL-3.0-or-later
// Members and elements: places in memory
//
//   x, self->x, this->x    Variable         a[i], p->m, s.m of C    Deref of an address
//   x[k], self->x[k]       ArrayElement     uregs[n]; args[n]       Builtin; see probes.cpp
#include "compiler/check/place.h"

#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/inline.h"
#include "compiler/check/name.h"
#include "compiler/check/node.h"
#include "compiler/check/operand.h"
#include "compiler/check/operator.h"
#include "compiler/check/probes.h"
#include "compiler/check/prototype.h"
#include "compiler/check/translator.h"
#include "compiler/check/variable.h"
#include "runtime/base/suggest.h"

namespace sonde {
namespace {

/// a[i] of C.
ExprPtr c_element(CheckContext& cx, ExprPtr base, ExprPtr expr, const std::string& name) {
  if (expr->kids.size() != 2)
    cx.fail("D_ARR_BADREF", expr->where, "cannot access scalar " + name + " as an associative array",
            "an array of C takes one index");
  const Type* text = base->type->is_string() && cx.text_member ? cx.text_member->canonical : nullptr;
  ExprPtr index = check_value(cx, std::move(expr->kids[1]));
  if (!index->type->is_integer()) cx.fail("D_OP_INT", expr->where, "operator [ ] requires an index of integral type");
  const Type* array = base->type->canonical;
  const Type* bounded_by = array->kind == Type::Kind::Array ? array : text;
  if (bounded_by && index->kind == ExprKind::Integer && bounded_by->count > 0 && index->integer >= bounded_by->count)
    cx.fail("D_ARR_BOUNDS", expr->where,
            "index outside array bounds: " + std::to_string(static_cast<int64_t>(index->integer)) + ", max is " +
                std::to_string(bounded_by->count));
  if (array->kind == Type::Kind::Array && index->kind != ExprKind::Integer && array->count > 0) {
    index = make_cast(std::move(index), cx.world.types.integer(8, true));
    index->bound = array->count;
  }
  if (array->kind == Type::Kind::String)
    base = make_cast(std::move(base), cx.world.types.pointer_to(cx.world.types.integer(1, true)));
  base = decay(cx, std::move(base));
  ExprPtr sum = make_expr(ExprKind::Binary, nullptr, cx.here(expr->where), std::move(base), std::move(index));
  sum->op = Op::Add;
  sum->text = "+";
  return check_operator(cx, make_expr(ExprKind::Deref, nullptr, cx.here(expr->where), additive(cx, std::move(sum))));
}

ExprPtr array_element(CheckContext& cx, const Symbol& symbol, const std::string& name, ExprPtr expr) {
  size_t passed = expr->kids.size() - 1;
  if (passed != symbol.keys.size())
    cx.fail("D_PROTO_LEN", expr->where,
            name + "[ ] prototype mismatch: " + std::to_string(passed) + (passed == 1 ? " key" : " keys") +
                " passed, " + std::to_string(symbol.keys.size()) + " expected");
  ExprPtr out = make_expr(ExprKind::ArrayElement, symbol.type, cx.here(expr->where));
  out->variable_index = symbol.index;
  std::vector<const Type*> keys = symbol.keys;
  const bool declared = symbol.declared;
  for (size_t i = 0; i < passed; ++i) {
    ExprPtr key = check_expression(cx, std::move(expr->kids[i + 1]));
    key_type(cx, *key, "associative array", i + 1);
    if (!assignable(keys[i], *key) && !(keys[i]->is_pointer() && key->type->is_integer()))
      cx.fail("D_PROTO_ARG", key->where,
              name + "[ ] key #" + std::to_string(i + 1) + " is incompatible with prototype:\n\tprototype: " +
                  keys[i]->name + "\n\t      key: " + key->type->name);
    // The first use of an array, a[0], does not say how large the later numbers are.
    const bool of_any_width = !declared && keys[i]->is_integer();
    const Type* type = of_any_width ? cx.world.types.integer(8, keys[i]->canonical->is_signed) : keys[i];
    out->kids.push_back(convert(cx, std::move(key), type));
  }
  return out;
}

}  // namespace

ExprPtr check_index(CheckContext& cx, ExprPtr expr) {
  VariableDesc::Scope scope{};
  std::string name;
  const Symbol* symbol = symbol_of(cx, *expr->kids[0], scope, name);
  if (symbol && symbol->kind == Symbol::Kind::Array) return array_element(cx, *symbol, name, std::move(expr));
  if (symbol && symbol->kind == Symbol::Kind::Inline && !symbol->definition->parameters.empty()) {
    std::vector<ExprPtr> arguments;
    for (size_t i = 1; i < expr->kids.size(); ++i) arguments.push_back(std::move(expr->kids[i]));
    return expand_inline(cx, *symbol, name, std::move(arguments), expr->where);
  }
  if (!symbol && scope == VariableDesc::Scope::Global && !name.empty() && !parameter(cx, name)) {
    const DVariable* row = cx.world.variable(name);
    if (row && row->from == From::Typed) return typed_argument(cx, std::move(expr));
    if (row && (row->from == From::TextOf || row->from == From::Registers)) {
      if (expr->kids.size() != 2)
        cx.fail("D_PROTO_LEN", expr->where,
                name + "[ ] prototype mismatch: " + std::to_string(expr->kids.size() - 1) + " keys passed, 1 expected");
      bool registers = row->from == From::Registers;
      ExprPtr index = check_value(cx, std::move(expr->kids[1]));
      if (!index->type->is_integer() || (registers && index->kind != ExprKind::Integer))
        argument_mismatch(cx, name, 1, registers ? "integer constant" : "int", *index, "[ ]");
      if (registers && index->integer > 25)
        cx.fail("D_UNKNOWN", expr->where,
                "uregs[]: index out of bounds (" + std::to_string(static_cast<int64_t>(index->integer)) + ")");
      ExprPtr out = make_builtin(*row, cx.world.types.of_text(row->type, nullptr), cx.here(expr->where));
      out->kids.push_back(convert(cx, std::move(index), cx.world.types.integer(8, true)));
      return out;
    }
    if (name.starts_with('@')) {
      for (size_t i = 1; i < expr->kids.size(); ++i) check_expression(cx, std::move(expr->kids[i]));
      return make_expr(ExprKind::AggregationRef, cx.world.types.aggregation_type(), cx.here(expr->where));
    }
    if (!row && !cx.world.global(name))
      cx.fail("D_IDENT_UNDEF", expr->where, "failed to resolve " + name + ": Unknown variable name");
  }
  if (!symbol && scope != VariableDesc::Scope::Global)
    cx.fail("D_VAR_UNDEF", expr->where, name + " has not yet been declared or assigned");
  cx.text_member = nullptr;
  ExprPtr base = check_value(cx, std::move(expr->kids[0]));
  if (!base->type->is_pointer() && !base->type->is_string() && base->type->canonical->kind != Type::Kind::Array)
    cx.fail("D_ARR_BADREF", expr->where,
            "cannot access scalar " + (name.empty() ? base->type->name : name) + " as an associative array");
  return c_element(cx, std::move(base), std::move(expr), name.empty() ? "expression" : name);
}

ExprPtr member_at(CheckContext& cx, ExprPtr pointer, const Member& member, SourceRange where) {
  const Type* type = cx.world.types.pointer_to(member.type);
  const Type* word = cx.world.types.integer(8, true);
  if (member.offset)
    pointer = make_binary(Op::Add, std::move(pointer), make_integer(member.offset, word, where), type, where);
  else
    pointer = fold(make_cast(std::move(pointer), type));
  note_kernel(cx, *pointer);
  ExprPtr out = make_expr(ExprKind::Deref, member.type, where, std::move(pointer));
  out->bit_offset = static_cast<uint8_t>(member.bit_offset);
  out->bit_width = static_cast<uint8_t>(member.bit_width);
  return out;
}

/// All members, if a line holds them.
std::string list_of_members(const Type& record) {
  constexpr size_t kLine = 120;
  std::string names;
  for (const Member& member : record.members)
    if (!member.name.empty()) names += (names.empty() ? "its members are " : ", ") + member.name;
  return names.size() <= kLine ? names : "";
}

const Member& find_member(CheckContext& cx, const Expr& expr, const Type& record, const Translator* translator) {
  Suggestion suggestion(expr.text);
  for (const Member& member : record.members) {
    if (member.name == expr.text) return member;
    suggestion.offer(member.name);
  }
  if (expr.text == kAskedMember)
    for (const Member& member : record.members)
      if (translator == nullptr || translator->members.contains(member.name))
        cx.world.asked.push_back({member.name, member.type->name});
  std::string hint = suggestion.hint();
  if (hint.empty()) hint = list_of_members(record);
  cx.fail("D_TYPE_MEMBER", expr.where, expr.text + " is not a member of " + record.name, hint);
}

ExprPtr check_member(CheckContext& cx, ExprPtr expr) {
  VariableDesc::Scope scope{};
  if (is_scope(*expr, scope)) return scoped_variable(cx, std::move(expr), scope, nullptr);
  std::string op = expr->arrow ? "->" : ".";
  ExprPtr base = check_expression(cx, std::move(expr->kids[0]));
  const Type* type = base->type->canonical;
  if (type->kind == Type::Kind::Dynamic) return translated_member(cx, std::move(expr), std::move(base));
  if (expr->arrow) {
    base = decay(cx, std::move(base));
    type = base->type->canonical;
    if (type->kind != Type::Kind::Pointer)
      cx.fail("D_OP_PTR", expr->where, "operator -> must be applied to a pointer",
              type->is_record() ? "use . on a struct" : "what stands before it is of type " + base->type->name);
    type = type->target->canonical;
  }
  if (type->kind != Type::Kind::Struct && type->kind != Type::Kind::Union)
    cx.fail("D_OP_SOU", expr->where,
            "operator " + op + " cannot be applied to type \"" + base->type->name +
                "\"; must be applied to a struct or union",
            !expr->arrow && base->type->is_pointer() ? "use -> on a pointer" : "");
  if (!cx.world.foreign.complete(type))
    cx.fail(
        "D_OP_INCOMPLETE", expr->where,
        "operator " + op + " cannot be applied to a forward declaration: no " + type->name + " definition is available",
        cx.world.foreign.advice(type->name));
  const Member& found = find_member(cx, *expr, *type);
  if (!expr->arrow) {
    const Type* pointer = cx.world.types.pointer_to(base->type);
    const SourceRange where = base->where;
    base = base->kind == ExprKind::Deref ? make_cast(std::move(base->kids[0]), pointer)
                                         : make_expr(ExprKind::AddressOf, pointer, where, std::move(base));
  }
  return member_at(cx, std::move(base), found, cx.here(expr->where));
}

}  // namespace sonde
