// SPDX-License-Identifier: GPL-3.0-or-later
// Actions: statements that print or do. Each becomes a Call with an ActionSite, whose kids are the site's argv.
#include <algorithm>

#include "compiler/check/checker.h"

namespace sonde {

ActionSite& Checker::site(Expr& expr, const DFunction& row) {
  expr.site = static_cast<uint32_t>(world_.program.sites.size());
  expr.function = &row;
  expr.type = world_.types.void_type();
  ActionSite& site = world_.program.sites.emplace_back();
  site.action = row.name;
  site.line = line_of(expr.where);
  return site;
}

/// Drops the name, and takes down the types of what is left.
void Checker::finish_site(Expr& expr, ActionSite& site) {
  if (!expr.kids.empty() && expr.kids[0] && expr.kids[0]->kind == ExprKind::Name && !expr.kids[0]->type)
    expr.kids.erase(expr.kids.begin());
  for (const ExprPtr& kid : expr.kids) site.arguments.push_back(value_type(kid->type));
}

ExprPtr Checker::check_action(ExprPtr expr, const DFunction& row) {
  expr->text = row.name;
  note_name(row.name, expr->where);
  const Prototype& prototype = world_.prototype(row.prototype);
  bool formats = prototype.varargs;
  bool aggregation_first =
      !prototype.parameters.empty() && prototype.parameters[0]->canonical->kind == Type::Kind::Aggregation;
  bool any_first = !prototype.parameters.empty() && prototype.parameters[0]->canonical->kind == Type::Kind::Any;
  bool prints_aggregations =
      prototype.parameters.size() > 1 && prototype.parameters[1]->canonical->kind == Type::Kind::Aggregation;
  bool shows_memory = prototype.parameters.size() == 1 && prototype.parameters[0]->is_pointer();
  if (shows_memory) return action_print(std::move(expr), row);
  if (prints_aggregations) return action_printa(std::move(expr));
  if (formats) return action_format(std::move(expr), row);
  if (aggregation_first) return action_aggregation(std::move(expr), row);
  if (any_first)
    return prototype.parameters.size() == 1 ? action_trace(std::move(expr)) : action_tracemem(std::move(expr), row);
  return action_plain(std::move(expr), row);
}

ExprPtr Checker::action_plain(ExprPtr expr, const DFunction& row) {
  const Prototype& prototype = world_.prototype(row.prototype);
  std::string name(row.name);
  check_count(name, prototype, expr->kids.size() - 1, expr->where);
  check_arguments(name, prototype, *expr);
  finish_site(*expr, site(*expr, row));
  return expr;
}

ExprPtr Checker::action_trace(ExprPtr expr) {
  const DFunction& row = *find_function(expr->text);
  std::string name(row.name);
  check_count(name, world_.prototype(row.prototype), expr->kids.size() - 1, expr->where);
  ExprPtr argument = check(std::move(expr->kids[1]));
  Type::Kind kind = argument->type->canonical->kind;
  if (kind == Type::Kind::Void) fail("D_TRACE_VOID", expr->where, name + "( ) may not be applied to a void expression");
  if (kind == Type::Kind::Dynamic || kind == Type::Kind::Function || kind == Type::Kind::Aggregation)
    fail("D_TRACE_DYN", expr->where, name + "( ) may not be applied to a dynamic expression",
         kind == Type::Kind::Aggregation ? "print an aggregation with printa()" : "");
  expr->kids[1] = printable(std::move(argument));
  finish_site(*expr, site(*expr, row));
  return expr;
}

namespace {

using LayoutPtr = std::shared_ptr<const TypeLayout>;

LayoutPtr layout_of(const Type& type) {
  auto out = std::make_shared<TypeLayout>();
  const Type& real = *type.canonical;
  out->name = type.name.substr(0, type.name.find(" (anon)"));
  out->size = real.size;
  out->is_signed = real.is_signed;
  switch (real.kind) {
    case Type::Kind::Enum:
      out->kind = TypeLayout::Kind::Enum;
      for (const Enumerator& one : real.enumerators) out->enumerators.emplace_back(one.value, one.name);
      break;
    case Type::Kind::Pointer: out->kind = TypeLayout::Kind::Pointer; break;
    case Type::Kind::Float: out->kind = TypeLayout::Kind::Float; break;
    case Type::Kind::String: out->kind = TypeLayout::Kind::Text; break;
    case Type::Kind::Array:
      out->kind = TypeLayout::Kind::Array;
      out->count = real.count;
      out->element = layout_of(*real.target);
      break;
    case Type::Kind::Struct:
    case Type::Kind::Union:
      out->kind = TypeLayout::Kind::Record;
      for (const Member& member : real.members)
        out->members.push_back(
            {member.name, member.offset, member.bit_offset, member.bit_width, layout_of(*member.type)});
      break;
    default: out->character = real.size == 1 && real.is_signed; break;
  }
  return out;
}

/// args[n], which is a cast of argN.
bool is_probe_argument(const Expr& expr) {
  if (expr.kind == ExprKind::Cast) return is_probe_argument(*expr.kids[0]);
  return expr.kind == ExprKind::Builtin && expr.builtin->from == From::Argument;
}

}  // namespace

/// copyin(pointer, size)
ExprPtr Checker::copied_in(ExprPtr pointer, uint64_t size) {
  const DFunction& copyin = *find_function("copyin");
  const Prototype& prototype = world_.prototype(copyin.prototype);
  const SourceRange where = pointer->where;
  ExprPtr call = make(ExprKind::Call, prototype.result, where);
  call->function = &copyin;
  call->text = copyin.name;
  call->kids.push_back(convert(std::move(pointer), prototype.parameters[0]));
  call->kids.push_back(convert(integer(size, world_.types.integer(8, false), where), prototype.parameters[1]));
  return call;
}

/// argv: the pointer. What it points to is printed, so its type must be known. An argument of a probe leads into the program, so what is
/// there is copied.
ExprPtr Checker::action_print(ExprPtr expr, const DFunction& row) {
  std::string name(row.name);
  const Prototype& prototype = world_.prototype(row.prototype);
  check_count(name, prototype, expr->kids.size() - 1, expr->where);
  ExprPtr pointer = decay(value(std::move(expr->kids[1])));
  const Type* target = pointer->type->is_pointer() ? pointer->type->canonical->target : nullptr;
  if (!target || !world_.foreign.complete(target) || target->canonical->size == 0)
    argument_mismatch(name, 1, "pointer to a type of known size", *pointer);
  if (target->canonical->size > world_.options.number("printsize"))
    fail("D_PRINT_SIZE", pointer->where,
         name + "( ) argument #1 points to " + std::to_string(target->canonical->size) + " bytes, printsize is " +
             std::to_string(world_.options.number("printsize")),
         "set a greater one: -x printsize=" + std::to_string(target->canonical->size));
  const Type* named = pointer->type->target;  // not the canonical one: a typedef is shown as such
  if (is_probe_argument(*pointer)) {
    expr->kids.push_back(convert(clone(*pointer), prototype.parameters[0]));
    pointer = copied_in(std::move(pointer), target->canonical->size);
  }
  expr->kids[1] = convert(std::move(pointer), prototype.parameters[0]);
  ActionSite& made = site(*expr, row);
  made.layout = layout_of(*named);
  finish_site(*expr, made);
  return expr;
}

/// argv: the address, the size (a constant), and the size that is wanted, where one was given.
ExprPtr Checker::action_tracemem(ExprPtr expr, const DFunction& row) {
  std::string name(row.name);
  const Prototype& prototype = world_.prototype(row.prototype);
  check_count(name, prototype, expr->kids.size() - 1, expr->where);
  check_arguments(name, prototype, *expr, 1);
  ExprPtr address = decay(value(std::move(expr->kids[1])));
  if (!address->type->is_pointer() && !address->type->is_integer())
    fail("D_TRACEMEM_ADDR", expr->where,
         name + "( ) argument #1 is incompatible with prototype:\n\tprototype: pointer or integer\n\t argument: " +
             address->type->name);
  SourceRange where = expr->kids[2]->where;
  ExprPtr size = std::move(expr->kids[2]);
  if (size->kind != ExprKind::Integer || static_cast<int64_t>(size->integer) <= 0)
    fail("D_TRACEMEM_SIZE", where, name + "( ) argument #2 must be a non-zero positive integral constant expression");
  expr->kids[1] = convert(std::move(address), world_.types.pointer_to(world_.types.void_type()));
  expr->kids[2] = std::move(size);
  finish_site(*expr, site(*expr, row));
  return expr;
}

ExprPtr Checker::action_format(ExprPtr expr, const DFunction& row) {
  std::string name(row.name);
  const Prototype& prototype = world_.prototype(row.prototype);
  check_count(name, prototype, expr->kids.size() - 1, expr->where);
  for (size_t i = 1; i < expr->kids.size(); ++i) expr->kids[i] = check(std::move(expr->kids[i]));
  if (!assignable(prototype.parameters[0], *expr->kids[1]))
    argument_mismatch(name, 1, prototype.parameters[0]->name, *expr->kids[1]);
  std::vector<Conversion> format = read_format(name, *expr->kids[1]);
  expr->kids.erase(expr->kids.begin() + 1);
  check_format(name, *expr, format, 2);
  ActionSite& made = site(*expr, row);
  made.has_format = true;
  made.format = std::move(format);
  finish_site(*expr, made);
  return expr;
}

ExprPtr Checker::action_printa(ExprPtr expr) {
  const DFunction& row = *find_function(expr->text);
  std::string name(row.name);
  if (expr->kids.size() == 1)
    fail("D_PROTO_LEN", expr->where, name + "( ) prototype mismatch: 0 args passed, at least 1 expected");
  bool has_format = expr->kids[1]->kind == ExprKind::String;
  size_t first = has_format ? 2 : 1;
  if (expr->kids.size() <= first)
    fail("D_PRINTA_PROTO", expr->where,
         name + "( ) prototype mismatch: " + std::to_string(expr->kids.size() - 1) +
             (expr->kids.size() == 2 ? " arg" : " args") + " passed, " + (has_format ? "2" : "1") + " expected");
  std::vector<Conversion> format;
  if (has_format) format = read_format(name, *expr->kids[1]);
  std::vector<uint32_t> indexes;
  const AggregationSymbol* lead = nullptr;
  std::string lead_name;
  for (size_t i = first; i < expr->kids.size(); ++i) {
    const AggregationSymbol& one = aggregation_named(*expr->kids[i], name, i, "D_PRINTA_AGGARG", "D_IDENT_UNDEF");
    indexes.push_back(one.index);
    std::string own = expr->kids[i]->text;
    if (!lead) {
      lead = &one;
      lead_name = own;
      continue;
    }
    auto count = [](const AggregationSymbol& which) {
      return std::to_string(which.keys.size()) + (which.keys.size() == 1 ? " key" : " keys");
    };
    if (one.keys.size() != lead->keys.size())
      fail("D_PRINTA_AGGKEY", expr->where,
           name + "( ): " + lead_name + " and " + own + " do not have matching key signatures: " + lead_name + " has " +
               count(*lead) + ", " + own + " has " + count(one));
    for (size_t k = 0; k < one.keys.size(); ++k) {
      if (value_type(one.keys[k]).kind == value_type(lead->keys[k]).kind) continue;
      fail("D_PRINTA_AGGPROTO", expr->where,
           name + "( ): " + own + "[ ] key #" + std::to_string(k + 1) + " is incompatible with " + lead_name + ":\n\t" +
               lead_name + " key: " + lead->keys[k]->name + "\n\t" + own + " key: " + one.keys[k]->name);
    }
  }
  if (has_format) check_keys(format, *lead, expr->where);
  ActionSite& made = site(*expr, row);
  made.has_format = has_format;
  made.format = std::move(format);
  made.aggregations = std::move(indexes);
  expr->kids.clear();
  return expr;
}

/// clear, trunc, normalize, denormalize: the aggregation is the site's, the rest is argv.
ExprPtr Checker::action_aggregation(ExprPtr expr, const DFunction& row) {
  std::string name(row.name);
  const Prototype& prototype = world_.prototype(row.prototype);
  std::string upper = name == "denormalize" ? "NORMALIZE" : name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  check_count(name, prototype, expr->kids.size() - 1, expr->where);
  check_arguments(name, prototype, *expr, 1);
  const AggregationSymbol& aggregation =
      aggregation_named(*expr->kids[1], name, 1, "D_" + upper + "_AGGARG", "D_" + upper + "_AGGBAD");
  uint32_t index = aggregation.index;
  expr->kids.erase(expr->kids.begin() + 1);
  ActionSite& made = site(*expr, row);
  made.aggregations = {index};
  finish_site(*expr, made);
  return expr;
}

}  // namespace sonde
