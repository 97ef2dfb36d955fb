// SPDX-License-Identifier: GPL-3.0-or-later
// An expression: each kind goes to its family; casts, sizeof, offsetof and stringof are here
//
// A tree with a type has been checked, and is returned as it is: so a parameter of an inline can be replaced by its
// argument. A parsed tree may be deeper than our stack allows, so depth is counted here, where all families pass.
#include "compiler/check/expression.h"

#include "compiler/check/assignment.h"
#include "compiler/check/call.h"
#include "compiler/check/convert.h"
#include "compiler/check/inline.h"
#include "compiler/check/library_texts.h"
#include "compiler/check/name.h"
#include "compiler/check/node.h"
#include "compiler/check/operator.h"
#include "compiler/check/place.h"
#include "compiler/check/translator.h"
#include "compiler/check/type.h"
#include "compiler/library/library.h"
#include "runtime/base/check.h"

namespace sonde {
namespace {

constexpr uint32_t kDeepest = 500;  ///< nested expressions: deeper ones are refused before the stack ends

ExprPtr check_integer(CheckContext& cx, ExprPtr expr) {
  bool is_long = expr->text.ends_with('l'), is_signed = !expr->text.starts_with('u');
  expr->type = cx.world.types.integer(is_long ? 8 : 4, is_signed);
  expr->text.clear();
  return expr;
}

ExprPtr check_cast(CheckContext& cx, ExprPtr expr) {
  const Type* to = named_type(cx, *expr->type_name);
  ExprPtr from = check_expression(cx, std::move(expr->kids[0]));
  const Type *a = to->canonical, *b = from->type->canonical;
  auto invalid = [&] {
    std::string name = b->kind == Type::Kind::Dynamic ? "pointer to translated data" : from->type->name;
    cx.fail("D_CAST_INVAL", expr->where, "invalid cast expression: \"" + name + "\" to \"" + to->name + "\"");
  };
  if (b->kind == Type::Kind::Dynamic) invalid();
  if (a->kind == Type::Kind::Void) {
    expr->kids[0] = std::move(from);
    expr->type = to;
    return expr;
  }
  if (a == b && to->is_record()) return from;
  cx.text_member = nullptr;  // a pointer has no bounds
  bool scalar_target = to->is_integer() || a->kind == Type::Kind::Pointer;
  bool scalar_source = from->type->is_scalar() || b->kind == Type::Kind::String || b->kind == Type::Kind::Array;
  if (a->kind == Type::Kind::String) {
    if (b->kind == Type::Kind::String || is_char_pointer(b) || is_null(*from)) return convert(cx, std::move(from), to);
    if (!scalar_source) invalid();
    return string_of(cx, std::move(from), expr->where);
  }
  if (!scalar_target || !scalar_source ||
      (b->kind == Type::Kind::String && to->is_integer() && a->size < cx.world.types.word_bytes()))
    invalid();
  expr->kids[0] = decay(cx, std::move(from));
  expr->type = to;
  return fold(std::move(expr));
}

/// `sizeof (foo_t)`: if foo_t is not a variable, it may be a type that the script does not define. Null: it is not.
const Type* foreign_name(CheckContext& cx, const Expr& operand) {
  if (operand.kind != ExprKind::Name || operand.type || parameter(cx, operand.text)) return nullptr;
  const std::string& name = operand.text;
  if (name == "`") return nullptr;
  bool known = cx.world.names.globals.contains(name) || find_variable(name) || find_constant(name) ||
               name.starts_with('@') || name == "NULL" || name == "self" || name == "this";
  if (known) return nullptr;
  load_library_for(cx.world, name);
  return cx.world.names.globals.contains(name) ? nullptr : cx.world.foreign.find(name);
}

ExprPtr check_sizeof(CheckContext& cx, ExprPtr expr) {
  const Type* type = nullptr;
  uint64_t size = 0;
  if (expr->kind == ExprKind::SizeofType) {
    type = named_type(cx, *expr->type_name);
    cx.world.foreign.complete(type);
    size = type->canonical->size;
  } else if (const Type* foreign = foreign_name(cx, *expr->kids[0])) {
    type = foreign;
    cx.world.foreign.complete(type);
    size = type->canonical->size;
  } else {
    const bool text = expr->kids[0]->kind == ExprKind::String, member = expr->kids[0]->kind == ExprKind::Member;
    cx.text_member = nullptr;
    ExprPtr operand = check_expression(cx, std::move(expr->kids[0]));
    cx.world.foreign.complete(operand->type);
    if (operand->bit_width) cx.fail("D_SIZEOF_BITFIELD", expr->where, "cannot apply sizeof to a bit-field");
    type = member && cx.text_member != nullptr ? cx.text_member : operand->type;
    size = text ? operand->text.size() + 1 : type->canonical->size;
  }
  Type::Kind kind = type->canonical->kind;
  if (kind == Type::Kind::Void || kind == Type::Kind::Function || kind == Type::Kind::Dynamic ||
      kind == Type::Kind::Stack || kind == Type::Kind::Aggregation || !type->canonical->complete)
    cx.fail("D_SIZEOF_TYPE", expr->where, "cannot apply sizeof to an operand of unknown size");
  return make_integer(size, cx.world.types.find("size_t"), cx.here(expr->where));
}

ExprPtr check_offsetof(CheckContext& cx, ExprPtr expr) {
  const Type* type = named_type(cx, *expr->type_name);
  const bool complete = cx.world.foreign.complete(type);
  if (!type->is_record() || !complete)
    cx.fail("D_OFFSETOF_TYPE", expr->where, "offsetof operand must be a struct or union type");
  for (const Member& member : type->canonical->members) {
    if (member.name != expr->text) continue;
    if (member.bit_width)
      cx.fail("D_OFFSETOF_BITFIELD", expr->where, "cannot take offset of a bit-field: " + expr->text);
    return make_integer(member.offset, cx.world.types.find("size_t"), cx.here(expr->where));
  }
  cx.fail("D_UNKNOWN", expr->where, "failed to determine offset of " + expr->text + ": Type or member name not found");
}

ExprPtr check_stringof(CheckContext& cx, ExprPtr expr) {
  ExprPtr operand = check_expression(cx, std::move(expr->kids[0]));
  const Type* type = operand->type->canonical;
  if (type->kind == Type::Kind::String) return operand;
  bool possible = operand->type->is_scalar() || is_char_pointer(type);
  if (!possible)
    cx.fail("D_STRINGOF_TYPE", expr->where, "cannot apply stringof to a value of type " + operand->type->name);
  return string_of(cx, std::move(operand), cx.here(expr->where));
}

}  // namespace

ExprPtr check_expression(CheckContext& cx, ExprPtr expr) {
  if (expr->type) return expr;
  if (cx.depth > kDeepest) cx.fail("D_UNKNOWN", expr->where, "expression is nested too deeply");
  struct Depth {
    uint32_t& depth;
    explicit Depth(uint32_t& d) : depth(d) { ++depth; }
    ~Depth() { --depth; }
  } guard(cx.depth);
  switch (expr->kind) {
    case ExprKind::Integer: return check_integer(cx, std::move(expr));
    case ExprKind::String: expr->type = cx.world.types.string_type(); return expr;
    case ExprKind::Name: return check_name(cx, std::move(expr));
    case ExprKind::Member: return check_member(cx, std::move(expr));
    case ExprKind::Index: return check_index(cx, std::move(expr));
    case ExprKind::Call: return check_call(cx, std::move(expr));
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Logical:
    case ExprKind::Conditional:
    case ExprKind::Deref:
    case ExprKind::AddressOf:
    case ExprKind::Comma: return check_operator(cx, std::move(expr));
    case ExprKind::Assign: return check_assign(cx, std::move(expr));
    case ExprKind::Update: return check_update(cx, std::move(expr));
    case ExprKind::Cast: return check_cast(cx, std::move(expr));
    case ExprKind::SizeofType:
    case ExprKind::SizeofExpr: return check_sizeof(cx, std::move(expr));
    case ExprKind::Offsetof: return check_offsetof(cx, std::move(expr));
    case ExprKind::Stringof: return check_stringof(cx, std::move(expr));
    case ExprKind::Xlate: return check_xlate(cx, std::move(expr));
    case ExprKind::Macro:
    case ExprKind::StringOf:
    case ExprKind::Aggregate:
    case ExprKind::AggregationRef:
    case ExprKind::Variable:
    case ExprKind::ArrayElement:
    case ExprKind::Builtin: break;
  }
  SONDE_CHECK(!"a parsed expression");
  return expr;
}

ExprPtr check_value(CheckContext& cx, ExprPtr expr) {
  expr = check_expression(cx, std::move(expr));
  Type::Kind kind = expr->type->canonical->kind;
  if (kind == Type::Kind::Dynamic)
    cx.fail("D_OP_DYN", expr->where, "a translated object has no value of its own: use one of its members");
  return expr;
}

ExprPtr check_scalar(CheckContext& cx, ExprPtr expr, std::string_view tag, const std::string& message) {
  SourceRange where = expr->where;
  expr = check_expression(cx, std::move(expr));
  if (!expr->type->is_scalar())
    cx.fail(tag, where, message,
            expr->type->is_string() ? "a string decides nothing: compare it, as in NAME != \"\"" : "");
  return expr;
}

ExprPtr check_constant(CheckContext& cx, ExprPtr expr) {
  expr = check_expression(cx, std::move(expr));
  return expr->kind == ExprKind::Integer && expr->type->is_integer() ? std::move(expr) : nullptr;
}

}  // namespace sonde
