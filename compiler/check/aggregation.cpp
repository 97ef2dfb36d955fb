// SPDX-License-Identifier: GPL-3.0-or-later
// @name[keys] = function(...): kinds of keys and function are fixed by the first use. An integer key is as wide as its uses
// need, so that none of them is cut: its words are numbers already, and only printing and sorting ask for its type.
#include "compiler/check/aggregation.h"

#include <algorithm>

#include "compiler/check/call.h"
#include "compiler/check/convert.h"
#include "compiler/check/expression.h"
#include "compiler/check/node.h"
#include "compiler/check/prototype.h"
#include "compiler/check/stability.h"
#include "compiler/check/variable.h"

namespace sonde {
namespace {

void lquantize_params(CheckContext& cx, Expr& call, std::vector<int64_t>& params);
void llquantize_params(CheckContext& cx, Expr& call, std::vector<int64_t>& params);

void same_aggregation(CheckContext& cx, const std::string& name, const AggregationSymbol& known,
                      const AggFunctionRow& row, const std::vector<const Type*>& keys,
                      const std::vector<int64_t>& params, const Expr& expr) {
  auto signature = [&](const AggFunctionRow& function, const std::vector<const Type*>& list) {
    std::string text = name;
    for (size_t i = 0; i < list.size(); ++i) text += (i ? ", " : "[") + list[i]->name;
    return text + (list.empty() ? "" : "]") + " = " + std::string(function.name) + "( )";
  };
  bool same = known.row == &row && known.keys.size() == keys.size();
  for (size_t i = 0; same && i < keys.size(); ++i) {
    ValueType a = value_type(known.keys[i]), b = value_type(keys[i]);
    bool integers = a.kind == ValueType::Kind::Integer && b.kind == a.kind;
    same = integers || (a.kind == b.kind && a.size == b.size);
  }
  if (!same)
    cx.fail("D_AGG_REDEF", expr.where,
            "aggregation redefined: " + name + "\n\t current: " + signature(row, keys) +
                "\n\tprevious: " + signature(*known.row, known.keys) + " : line " + std::to_string(known.line));
  const std::vector<int64_t>& before = cx.world.program.aggregations[known.index].params;
  static constexpr const char* kLquantize[][2] = {
      {"base", "D_LQUANT_MATCHBASE"}, {"limit", "D_LQUANT_MATCHLIM"}, {"step", "D_LQUANT_MATCHSTEP"}};
  static constexpr const char* kLlquantize[][2] = {{"factor", "D_LLQUANT_MATCHFACTOR"},
                                                   {"lmag", "D_LLQUANT_MATCHLMAG"},
                                                   {"hmag", "D_LLQUANT_MATCHHMAG"},
                                                   {"steps", "D_LLQUANT_MATCHSTEPS"}};
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i] == before[i]) continue;
    bool linear = row.function == AggFunction::Lquantize;
    auto [word, tag] = linear ? kLquantize[i] : kLlquantize[i];
    cx.fail(tag, expr.where,
            std::string(row.name) + (linear ? "( ) " : "() ") + word + " (argument #" + std::to_string(i + 1) +
                ") doesn't match previous declaration: expected " + std::to_string(before[i]) + ", found " +
                std::to_string(params[i]));
  }
}

/// The integer type that has the numbers of both, if there is one.
const Type* with_numbers_of(CheckContext& cx, const Type* a, const Type* b) {
  const Type *x = a->canonical, *y = b->canonical;
  if (x->is_signed == y->is_signed) return x->size >= y->size ? a : b;
  const Type *with_sign = x->is_signed ? a : b, *without = x->is_signed ? b : a;
  const bool has_room = with_sign->canonical->size > without->canonical->size;
  return has_room ? with_sign : cx.world.types.integer(std::min<uint32_t>(8, 2 * without->canonical->size), true);
}

/// Makes the integer keys of the aggregation as wide as this use needs.
void widen_keys(CheckContext& cx, AggregationSymbol& known, const std::vector<const Type*>& keys) {
  AggregationDesc& description = cx.world.program.aggregations[known.index];
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i]->is_integer()) continue;
    known.keys[i] = with_numbers_of(cx, known.keys[i], keys[i]);
    description.keys[i] = value_type(known.keys[i]);
  }
}

/// Appends the value and the increment that the function takes; its constants go to `params`.
void aggregation_values(CheckContext& cx, Expr& call, const AggFunctionRow& row, Expr& into,
                        std::vector<int64_t>& params) {
  const Prototype& prototype = cx.world.prototype(row.prototype);
  std::string name(row.name);
  size_t passed = call.kids.size() - 1;
  check_count(cx, name, prototype, passed, call.where);
  if (prototype.parameters.empty()) return;
  const size_t increment = prototype.parameters.size();
  const bool has_increment = increment > 1 && passed == increment;
  for (size_t i = 1; i <= passed; ++i) call.kids[i] = check_expression(cx, std::move(call.kids[i]));
  for (size_t i = 2; i <= std::min(passed, prototype.required); ++i)
    if (!call.kids[i]->type->is_integer())
      argument_mismatch(cx, name, i, prototype.parameters[i - 1]->name, *call.kids[i]);
  if (has_increment && !call.kids[increment]->type->is_scalar())
    argument_mismatch(cx, name, increment, prototype.parameters.back()->name, *call.kids[increment]);
  if (!call.kids[1]->type->is_scalar())
    cx.fail("D_AGG_SCALAR", call.kids[1]->where, name + "( ) argument #1 must be of scalar type");
  auto number = [&](size_t index) {
    into.kids.push_back(convert(cx, std::move(call.kids[index]), cx.world.types.integer(8, true)));
  };
  number(1);
  if (row.function == AggFunction::Lquantize) lquantize_params(cx, call, params);
  if (row.function == AggFunction::Llquantize) llquantize_params(cx, call, params);
  if (has_increment) number(increment);
}

int64_t constant_argument(CheckContext& cx, Expr& call, size_t index, const std::string& name, std::string_view tag,
                          const std::string& kind) {
  SourceRange where = call.kids[index]->where;
  ExprPtr number = check_constant(cx, std::move(call.kids[index]));
  if (!number) cx.fail(tag, where, name + "( ) argument #" + std::to_string(index - 1) + " must be " + kind);
  return static_cast<int64_t>(number->integer);
}

std::string aggregating_functions() {
  std::string names;
  for (const AggFunctionRow& row : kAggFunctions) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return "the aggregating functions are " + names;
}

/// Refuses a call for which something is not so.
struct Require {
  CheckContext& cx;
  SourceRange where;
  const std::string& name;

  void operator()(bool fine, std::string_view tag, const char* rule) const {
    if (!fine) cx.fail(tag, where, name + "( ) " + rule);
  }
};

void lquantize_params(CheckContext& cx, Expr& call, std::vector<int64_t>& params) {
  std::string name = "lquantize";
  const Require require{cx, call.where, name};
  auto fits = [](int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; };
  int64_t base = constant_argument(cx, call, 2, name, "D_LQUANT_BASETYPE", "an integer constant");
  require(fits(base), "D_LQUANT_BASEVAL", "argument #1 must be a 32-bit quantity");
  int64_t limit = constant_argument(cx, call, 3, name, "D_LQUANT_LIMTYPE", "an integer constant");
  require(fits(limit), "D_LQUANT_LIMVAL", "argument #2 must be a 32-bit quantity");
  require(limit > base, "D_LQUANT_MISMATCH", "base (argument #1) must be less than limit (argument #2)");
  int64_t step = 1;
  if (call.kids.size() > 4) {
    step = constant_argument(cx, call, 4, name, "D_LQUANT_STEPTYPE", "a non-zero positive integer constant");
    require(step > 0, "D_LQUANT_STEPTYPE", "argument #3 must be a non-zero positive integer constant");
    require(step <= UINT16_MAX, "D_LQUANT_STEPVAL", "argument #3 must be a 16-bit quantity");
  }
  int64_t levels = (limit - base) / step;
  require(levels != 0, "D_LQUANT_STEPLARGE", "step (argument #3) too large: must have at least one quantization level");
  require(levels <= UINT16_MAX, "D_LQUANT_STEPSMALL",
          "step (argument #3) too small: number of quantization levels must be a 16-bit quantity");
  params = {base, limit, step};
}

void llquantize_params(CheckContext& cx, Expr& call, std::vector<int64_t>& params) {
  std::string name = "llquantize";
  const Require require{cx, call.where, name};
  auto word = [](int64_t value) { return value >= 0 && value <= UINT16_MAX; };
  int64_t factor = constant_argument(cx, call, 2, name, "D_LLQUANT_FACTORTYPE", "an integer constant");
  require(word(factor) && factor >= 2, "D_LLQUANT_FACTORVAL",
          "argument #1 must be an unsigned 16-bit quantity greater than or equal to 2");
  int64_t low = constant_argument(cx, call, 3, name, "D_LLQUANT_LMAGTYPE", "an integer constant");
  require(word(low), "D_LLQUANT_LMAGVAL", "argument #2 must be an unsigned 16-bit quantity");
  int64_t high = constant_argument(cx, call, 4, name, "D_LLQUANT_HMAGTYPE", "an integer constant");
  require(word(high), "D_LLQUANT_HMAGVAL", "argument #3 must be an unsigned 16-bit quantity");
  require(high >= low, "D_LLQUANT_HMAGVAL",
          "high magnitude (argument #3) must be at least the low magnitude (argument #2)");
  unsigned __int128 power = 1, low_power = 1;
  for (int64_t i = 0; i <= high && power <= UINT64_MAX; ++i) {
    power *= static_cast<uint64_t>(factor);
    if (i == low) low_power = power;
  }
  require(power <= UINT64_MAX, "D_LLQUANT_HMAGVAL",
          "factor (argument #1) raised to the high magnitude (argument #3) overflows 64 bits");
  int64_t steps = constant_argument(cx, call, 5, name, "D_LLQUANT_STEPTYPE", "a non-zero positive integer constant");
  require(steps > 0, "D_LLQUANT_STEPTYPE", "argument #4 must be a non-zero positive integer constant");
  require(word(steps), "D_LLQUANT_STEPVAL", "argument #4 must be an unsigned 16-bit quantity");
  bool divides = steps < factor
                     ? factor % steps == 0
                     : steps == factor ||
                           (steps % factor == 0 &&
                            (low == 0 ? factor * factor % steps == 0 : low_power % static_cast<uint64_t>(steps) == 0));
  require(divides, "D_LLQUANT_STEPVAL", "argument #4 (steps) must divide the magnitudes evenly");
  params = {factor, low, high, steps};
}

}  // namespace

bool is_aggregation(const Expr& expr) {
  const Expr* base = &expr;
  while (base->kind == ExprKind::Index) base = base->kids[0].get();
  return base->kind == ExprKind::Name && !base->type && base->text.starts_with('@');
}

const AggregationSymbol& aggregation_named(CheckContext& cx, const Expr& expr, const std::string& function,
                                           size_t number, std::string_view argument_tag, std::string_view unknown_tag) {
  if (expr.kind != ExprKind::Name || !expr.text.starts_with('@')) {
    std::string type = expr.kind == ExprKind::Integer ? "int" : expr.kind == ExprKind::String ? "string" : "expression";
    cx.fail(argument_tag, expr.where,
            function + "( ) argument #" + std::to_string(number) +
                " is incompatible with prototype:\n\tprototype: aggregation\n\t argument: " + type,
            "an aggregation begins with @: " + function + "(@name)");
  }
  auto at = cx.world.names.aggregations.find(expr.text.substr(1));
  if (at == cx.world.names.aggregations.end())
    cx.fail(unknown_tag, expr.where,
            unknown_tag == "D_IDENT_UNDEF" ? "failed to resolve " + expr.text + ": Unknown variable name"
                                           : "undefined aggregation: " + expr.text,
            "no clause up to here makes it: an aggregating function does, as in " + expr.text + " = count()");
  return at->second;
}

ExprPtr check_aggregate(CheckContext& cx, ExprPtr expr) {
  Expr& left = *expr->kids[0];
  Expr& named = left.kind == ExprKind::Index ? *left.kids[0] : left;
  if (named.kind == ExprKind::Index)
    cx.fail("D_AGG_MDIM", left.where,
            "improper attempt to reference " + named.kids[0]->text + " as a multi-dimensional array");
  std::string shown = named.text == "@" ? "@_" : named.text;
  Expr& call = *expr->kids[1];
  bool calls = expr->kind == ExprKind::Assign && call.kind == ExprKind::Call && call.kids[0]->kind == ExprKind::Name;
  const AggFunctionRow* row = calls ? cx.world.aggregating_function(call.kids[0]->text) : nullptr;
  if (!row && calls && !cx.world.function(call.kids[0]->text))
    unknown_function(cx, call.kids[0]->text, call.kids[0]->where, aggregating_functions());
  if (!row)
    cx.fail("D_AGG_FUNC", expr->where, named.text + " must be assigned the result of an aggregating function",
            aggregating_functions());
  note_name(cx, row->name, expr->where);
  const std::string name = named.text.substr(1);
  ExprPtr out = make_expr(ExprKind::Aggregate, cx.world.types.void_type(), expr->where);
  std::vector<const Type*> keys;
  std::vector<std::string> key_names;
  if (left.kind == ExprKind::Index) {
    for (size_t i = 1; i < left.kids.size(); ++i) {
      key_names.push_back(left.kids[i]->kind == ExprKind::Name ? left.kids[i]->text : "");
      ExprPtr key = check_expression(cx, std::move(left.kids[i]));
      keys.push_back(key_type(cx, *key, "aggregation", i));
      out->kids.push_back(convert(cx, std::move(key), keys.back()));
      if (out->kids.back()->type->is_integer()) out->kids.back() = printable(std::move(out->kids.back()));
    }
  }
  out->key_count = static_cast<uint32_t>(keys.size());
  std::vector<int64_t> params;
  aggregation_values(cx, call, *row, *out, params);
  auto known = cx.world.names.aggregations.find(name);
  if (known != cx.world.names.aggregations.end()) {
    same_aggregation(cx, shown, known->second, *row, keys, params, *expr);
    widen_keys(cx, known->second, keys);
    for (size_t i = 0; i < keys.size(); ++i) out->kids[i] = convert(cx, std::move(out->kids[i]), known->second.keys[i]);
    out->variable_index = known->second.index;
    return out;
  }
  AggregationDesc description;
  description.name = name;
  description.function = row->function;
  description.params = std::move(params);
  description.key_names = std::move(key_names);
  for (const Type* key : keys) description.keys.push_back(value_type(key));
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i]->canonical->kind == Type::Kind::Stack && out->kids[i]->kind == ExprKind::Call)
      description.default_frames = static_cast<uint32_t>(out->kids[i]->kids[0]->integer);
  out->variable_index = static_cast<uint32_t>(cx.world.program.aggregations.size());
  cx.world.program.aggregations.push_back(std::move(description));
  cx.world.names.aggregations[name] = {out->variable_index, std::move(keys), row, cx.line_of(expr->where)};
  return out;
}

}  // namespace sonde
