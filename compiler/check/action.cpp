// SPDX-License-Identifier: GPL-3.0-or-later
// Actions: statements with an effect. Each becomes a Call with an ActionSite, whose kids are the site's argv
//
// An action's prototype, not its name, decides which rules apply: it takes a format, an aggregation, a value of any
// type.
#include "compiler/check/action.h"

#include <algorithm>
#include <cctype>

#include "compiler/check/aggregation.h"
#include "compiler/check/call.h"
#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/format.h"
#include "compiler/check/node.h"
#include "compiler/check/prototype.h"
#include "compiler/check/stability.h"

namespace sonde {
namespace {

ActionSite& new_site(CheckContext& cx, Expr& expr, const DFunction& row) {
  expr.site = static_cast<uint32_t>(cx.world.program.sites.size());
  expr.function = &row;
  expr.type = cx.world.types.void_type();
  ActionSite& site = cx.world.program.sites.emplace_back();
  site.action = row.name;
  site.line = cx.line_of(expr.where);
  return site;
}

/// What a printer calls a value: its text in the script, of a variable without self-> and this->. Empty: it is a constant, or
/// its text is too long for a name.
std::string name_of_value(const CheckContext& cx, const Expr& value) {
  constexpr size_t kLongest = 48;
  if (value.kind == ExprKind::Integer || value.kind == ExprKind::String) return {};
  const std::string& script = cx.source.text;
  if (value.where.begin >= value.where.end || value.where.end > script.size()) return {};
  std::string_view text = std::string_view(script).substr(value.where.begin, value.where.end - value.where.begin);
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  for (const std::string_view scope : {"self->", "this->"})
    if (text.starts_with(scope) && std::ranges::all_of(text.substr(scope.size()), is_letter))
      text.remove_prefix(scope.size());
  return text.size() > kLongest || text.find('\n') != text.npos ? std::string() : std::string(text);
}

/// Makes the call's site. Drops the kid that is the name, and notes the types and the names of the others.
ActionSite& finish_site(CheckContext& cx, Expr& expr, const DFunction& row) {
  ActionSite& site = new_site(cx, expr, row);
  if (!expr.kids.empty() && expr.kids[0] && expr.kids[0]->kind == ExprKind::Name && !expr.kids[0]->type)
    expr.kids.erase(expr.kids.begin());
  for (const ExprPtr& kid : expr.kids) {
    site.arguments.push_back(value_type(kid->type));
    site.names.push_back(name_of_value(cx, *kid));
  }
  return site;
}

/// An action and its prototype.
struct Action {
  const DFunction& row;
  const Prototype& prototype;
  const std::string name = std::string(row.name);
};

ExprPtr action_plain(CheckContext& cx, ExprPtr expr, const Action& action) {
  check_arguments(cx, action.name, action.prototype, *expr);
  finish_site(cx, *expr, action.row);
  return expr;
}

ExprPtr action_trace(CheckContext& cx, ExprPtr expr, const Action& action) {
  ExprPtr argument = check_expression(cx, std::move(expr->kids[1]));
  Type::Kind kind = argument->type->canonical->kind;
  if (kind == Type::Kind::Void)
    cx.fail("D_TRACE_VOID", expr->where, action.name + "( ) may not be applied to a void expression");
  if (kind == Type::Kind::Dynamic || kind == Type::Kind::Function || kind == Type::Kind::Aggregation)
    cx.fail("D_TRACE_DYN", expr->where, action.name + "( ) may not be applied to a dynamic expression",
            kind == Type::Kind::Aggregation ? kHintOnAggregation : "");
  expr->kids[1] = printable(std::move(argument));
  finish_site(cx, *expr, action.row);
  return expr;
}

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

/// The bytes of an argument that the tap has locations of.
bool is_located(const Expr& bytes) {
  if (bytes.kind == ExprKind::Cast) return is_located(*bytes.kids[0]);
  return bytes.kind == ExprKind::Call && !bytes.kids.empty() && bytes.kids[0]->kind == ExprKind::Integer &&
         sonde_is_argument(bytes.kids[0]->integer) != 0;
}

/// args[n], which is a cast of argN, or read where the argument stands.
bool is_probe_argument(const Expr& expr) {
  if (expr.kind == ExprKind::Cast) return is_probe_argument(*expr.kids[0]);
  if (expr.kind == ExprKind::Deref) return is_located(*expr.kids[0]);
  return expr.kind == ExprKind::Builtin && expr.builtin->from == From::Argument;
}

/// argv: the pointer. Its target is printed, so the target's type must be known. A probe argument points into the
/// program, so its target is copied.
ExprPtr action_print(CheckContext& cx, ExprPtr expr, const Action& action) {
  const auto& [row, prototype, name] = action;
  ExprPtr pointer = decay(cx, check_value(cx, std::move(expr->kids[1])));
  const Type* target = pointer->type->is_pointer() ? pointer->type->canonical->target : nullptr;
  if (!target || !cx.world.foreign.complete(target) || target->canonical->size == 0)
    argument_mismatch(cx, name, 1, "pointer to a type of known size", *pointer, "( )",
                      pointer->type->canonical->kind == Type::Kind::Aggregation ? kHintOnAggregation : "");
  if (target->canonical->size > cx.world.options.number("printsize"))
    cx.fail("D_PRINT_SIZE", pointer->where,
            name + "( ) argument #1 points to " + std::to_string(target->canonical->size) + " bytes, printsize is " +
                std::to_string(cx.world.options.number("printsize")),
            "set a greater one: -x printsize=" + std::to_string(target->canonical->size));
  const Type* named = pointer->type->target;  // not the canonical one: a typedef is shown by its name
  if (is_probe_argument(*pointer)) {
    const SourceRange where = pointer->where;
    expr->kids.push_back(convert(cx, clone(*pointer), prototype.parameters[0]));
    ExprPtr size = make_integer(target->canonical->size, cx.world.types.integer(8, false), where);
    pointer = call_copyin(cx, std::move(pointer), std::move(size), where);
  }
  expr->kids[1] = convert(cx, std::move(pointer), prototype.parameters[0]);
  finish_site(cx, *expr, row).layout = layout_of(*named);
  return expr;
}

/// argv: the address, the size (a constant), and the optional size to show.
ExprPtr action_tracemem(CheckContext& cx, ExprPtr expr, const Action& action) {
  const auto& [row, prototype, name] = action;
  check_arguments(cx, name, prototype, *expr, 1);
  ExprPtr address = decay(cx, check_value(cx, std::move(expr->kids[1])));
  if (!address->type->is_pointer() && !address->type->is_integer())
    cx.fail("D_TRACEMEM_ADDR", expr->where,
            name + "( ) argument #1 is incompatible with prototype:\n\tprototype: pointer or integer\n\t argument: " +
                address->type->name);
  const Expr& size = *expr->kids[2];
  if (size.kind != ExprKind::Integer || static_cast<int64_t>(size.integer) <= 0)
    cx.fail("D_TRACEMEM_SIZE", size.where,
            name + "( ) argument #2 must be a non-zero positive integral constant expression");
  expr->kids[1] = convert(cx, std::move(address), cx.world.types.pointer_to(cx.world.types.void_type()));
  finish_site(cx, *expr, row);
  return expr;
}

ExprPtr action_format(CheckContext& cx, ExprPtr expr, const Action& action) {
  const auto& [row, prototype, name] = action;
  for (size_t i = 1; i < expr->kids.size(); ++i) expr->kids[i] = check_expression(cx, std::move(expr->kids[i]));
  if (!assignable(prototype.parameters[0], *expr->kids[1]))
    argument_mismatch(cx, name, 1, prototype.parameters[0]->name, *expr->kids[1]);
  std::vector<Conversion> format = read_format(cx, name, *expr->kids[1]);
  expr->kids.erase(expr->kids.begin() + 1);
  check_format(cx, name, *expr, format, 2);
  ActionSite& made = finish_site(cx, *expr, row);
  made.has_format = true;
  made.format = std::move(format);
  return expr;
}

ExprPtr action_printa(CheckContext& cx, ExprPtr expr, const DFunction& row) {
  const std::string name(row.name);
  if (expr->kids.size() == 1)
    cx.fail("D_PROTO_LEN", expr->where, name + "( ) prototype mismatch: 0 args passed, at least 1 expected",
            "write " + name + "(@name)");
  bool has_format = expr->kids[1]->kind == ExprKind::String;
  size_t first = has_format ? 2 : 1;
  if (expr->kids.size() <= first)
    cx.fail("D_PRINTA_PROTO", expr->where,
            name + "( ) prototype mismatch: " + std::to_string(expr->kids.size() - 1) +
                (expr->kids.size() == 2 ? " arg" : " args") + " passed, " + (has_format ? "2" : "1") + " expected");
  std::vector<Conversion> format;
  if (has_format) format = read_format(cx, name, *expr->kids[1]);
  std::vector<uint32_t> indexes;
  const AggregationSymbol* lead = nullptr;
  std::string lead_name;
  for (size_t i = first; i < expr->kids.size(); ++i) {
    const AggregationSymbol& one = aggregation_named(cx, *expr->kids[i], name, i, "D_PRINTA_AGGARG", "D_IDENT_UNDEF");
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
      cx.fail("D_PRINTA_AGGKEY", expr->where,
              name + "( ): " + lead_name + " and " + own + " do not have matching key signatures: " + lead_name +
                  " has " + count(*lead) + ", " + own + " has " + count(one));
    for (size_t k = 0; k < one.keys.size(); ++k) {
      if (value_type(one.keys[k]).kind == value_type(lead->keys[k]).kind) continue;
      cx.fail("D_PRINTA_AGGPROTO", expr->where,
              name + "( ): " + own + "[ ] key #" + std::to_string(k + 1) + " is incompatible with " + lead_name +
                  ":\n\t" + lead_name + " key: " + lead->keys[k]->name + "\n\t" + own + " key: " + one.keys[k]->name);
    }
  }
  if (has_format) check_keys(cx, format, *lead, expr->where);
  ActionSite& made = new_site(cx, *expr, row);
  made.has_format = has_format;
  made.format = std::move(format);
  made.aggregations = std::move(indexes);
  expr->kids.clear();
  return expr;
}

/// clear, trunc, normalize, denormalize: the site has the aggregation, argv the other arguments.
ExprPtr action_aggregation(CheckContext& cx, ExprPtr expr, const Action& action) {
  const auto& [row, prototype, name] = action;
  std::string upper = name == "denormalize" ? "NORMALIZE" : name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  check_arguments(cx, name, prototype, *expr, 1);
  const AggregationSymbol& aggregation =
      aggregation_named(cx, *expr->kids[1], name, 1, "D_" + upper + "_AGGARG", "D_" + upper + "_AGGBAD");
  expr->kids.erase(expr->kids.begin() + 1);
  finish_site(cx, *expr, row).aggregations = {aggregation.index};
  return expr;
}

}  // namespace

bool is_action_call(const Expr& expr) {
  return expr.kind == ExprKind::Call && expr.function != nullptr && is_action(expr.function->runs);
}

void only_statements_act(CheckContext& cx, const Expr& expr, bool is_statement) {
  if (is_action_call(expr) && !is_statement)
    cx.fail(
        "D_CG_EXPR", expr.where,
        std::string(expr.function->name) + "( ) may not be called from a D expression (D program context required)");
  const bool arms = is_statement && expr.kind == ExprKind::Conditional;
  const bool list = is_statement && expr.kind == ExprKind::Comma;
  for (size_t i = 0; i < expr.kids.size(); ++i) only_statements_act(cx, *expr.kids[i], list || (arms && i > 0));
}

ExprPtr check_action(CheckContext& cx, ExprPtr expr, const DFunction& row) {
  note_name(cx, row.name, expr->where);
  const Action action{row, cx.world.prototype(row.prototype)};
  const std::vector<const Type*>& takes = action.prototype.parameters;
  const auto is = [&](size_t n, Type::Kind kind) { return n < takes.size() && takes[n]->canonical->kind == kind; };
  if (is(1, Type::Kind::Aggregation)) return action_printa(cx, std::move(expr), row);
  check_count(cx, action.name, action.prototype, expr->kids.size() - 1, expr->where);
  if (takes.size() == 1 && takes[0]->is_pointer()) return action_print(cx, std::move(expr), action);
  if (action.prototype.varargs) return action_format(cx, std::move(expr), action);
  if (is(0, Type::Kind::Aggregation)) return action_aggregation(cx, std::move(expr), action);
  if (is(0, Type::Kind::Any)) return (takes.size() == 1 ? action_trace : action_tracemem)(cx, std::move(expr), action);
  return action_plain(cx, std::move(expr), action);
}

ExprPtr traced(CheckContext& cx, ExprPtr value) {
  const bool is_call = value->kind == ExprKind::Call && value->function != nullptr;
  const std::string called = !is_call ? "" : value->text.empty() ? std::string(value->function->name) : value->text;
  const SourceRange where = value->where;
  ExprPtr out = make_expr(ExprKind::Call, nullptr, where, std::move(value));
  ActionSite& made = finish_site(cx, *out, *find_function("trace"));
  if (!called.empty()) made.action = called;
  return out;
}

}  // namespace sonde
