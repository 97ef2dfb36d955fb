// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/split/folding.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "compiler/types/arithmetic.h"
#include "runtime/base/check.h"

namespace sonde {
namespace {

std::optional<sonde_fold_function> folded_as(AggFunction function) {
  switch (function) {
    case AggFunction::Count: return SONDE_FOLD_COUNT;
    case AggFunction::Sum: return SONDE_FOLD_SUM;
    case AggFunction::Avg: return SONDE_FOLD_AVG;
    case AggFunction::Min: return SONDE_FOLD_MIN;
    case AggFunction::Max: return SONDE_FOLD_MAX;
    case AggFunction::Stddev: return SONDE_FOLD_STDDEV;
    case AggFunction::Quantize: return SONDE_FOLD_QUANTIZE;
    case AggFunction::Lquantize: return SONDE_FOLD_LQUANTIZE;
    case AggFunction::Llquantize: return std::nullopt;
  }
  return std::nullopt;
}

/// Whether its firings have an order of their own, into which those of other probes need not fit.
bool is_apart(const ProbeDescription& probe) {
  if (probe.provider == "profile" || probe.name == "BEGIN" || probe.name == "END") return true;
  return probe.name.starts_with("tick-") || probe.name.starts_with("profile-");
}

/// Whether the variable is the same in all firings of a clause that have the same slots, probe and thread.
bool is_of_key(const DVariable& variable) {
  switch (variable.from) {
    case From::Argument:
    case From::Fire:
    case From::Text:
    case From::TextOf:
    case From::Derived:
    case From::Registers: return true;
    case From::Header: return variable.which != offsetof(sonde_record, timestamp);
    case From::Body: return variable.which == kOfProbe;
    case From::Typed:
    case From::Library:
    case From::Refused: return false;
  }
  return false;
}

/// Its frames are all that a firing captures of it. Of a user stack, memory is captured, which differs each time.
bool is_kernel_stack(const LoweredExpr& call) {
  return call.type->canonical->kind == Type::Kind::Stack && call.function->of_kernel;
}

/// Whether the body may compute it once for all firings with the same captures, and cannot fault.
bool is_of_captures(const LoweredExpr& expr, const Residents& residents) {
  switch (expr.kind) {
    case LoweredKind::Integer:
    case LoweredKind::String: return true;
    case LoweredKind::Variable: return residents.contains(expr.variable_index);
    case LoweredKind::Builtin:
      if (!is_of_key(*expr.builtin)) return false;
      break;
    case LoweredKind::Call:
      if (expr.function->runs != Runs::Fire || !(expr.type->is_string() || is_kernel_stack(expr))) return false;
      break;
    case LoweredKind::Cast:
      if (expr.bound != 0) return false;
      break;
    case LoweredKind::Binary:
      if ((expr.op == Op::Div || expr.op == Op::Mod) && constant_of(*expr.kids[1]).value_or(0) == 0) return false;
      break;
    case LoweredKind::Unary:
    case LoweredKind::Logical:
    case LoweredKind::Conditional: break;
    default: return false;
  }
  return std::ranges::all_of(expr.kids, [&](const LoweredExprPtr& kid) { return is_of_captures(*kid, residents); });
}

}  // namespace

void Folding::learn(const LoweredExpr& expr) {
  if (expr.kind == LoweredKind::Call && is_action(expr.function->runs) && expr.site < program_.sites.size()) {
    const std::vector<uint32_t>& named = program_.sites[expr.site].aggregations;
    ordered_.insert(named.begin(), named.end());
  }
  for (const LoweredExprPtr& kid : expr.kids) learn(*kid);
}

void Folding::learn(const std::vector<LoweredStatement>& statements) {
  for (const LoweredStatement& statement : statements) {
    learn(*statement.expression);
    learn(statement.then_part);
    learn(statement.else_part);
  }
}

void Folding::learn(std::span<const LoweredUnit> units) {
  for (const LoweredUnit& unit : units)
    for (const LoweredClause& clause : unit.clauses)
      if (!std::ranges::all_of(clause.descriptions, is_apart)) learn(clause.statements);
}

bool Folding::applies_to(const LoweredExpr& aggregate, const FireExpressions& fire, const Residents& residents) const {
  if (ordered_.contains(aggregate.variable_index)) return false;
  if (!folded_as(program_.aggregations[aggregate.variable_index].function)) return false;
  for (size_t n = 0; n < aggregate.kids.size(); n++) {
    const LoweredExpr& kid = *aggregate.kids[n];
    if (n < aggregate.key_count && !is_of_captures(kid, residents)) return false;
    if (n < aggregate.key_count) continue;
    const auto cost = fire.cost(kid, FireExpressions::Use::Value);
    if (!cost || cost->loads) return false;
  }
  return true;
}

bool Folding::applies(const LoweredClause& clause, const Residents& residents) const {
  const FireExpressions fire(residents);
  size_t parts = 0;
  bool ended = false;  // assignments come behind the aggregations: others would have other variables
  for (const LoweredStatement& statement : clause.statements) {
    if (statement.is_if) return false;
    const LoweredExpr& expr = *statement.expression;
    if (expr.kind == LoweredKind::Aggregate) {
      if (ended || ++parts > SONDE_FOLD_PARTS || !applies_to(expr, fire, residents)) return false;
      continue;
    }
    const bool assigns = expr.kind == LoweredKind::Assign || expr.kind == LoweredKind::Update;
    ended = parts > 0;
    if (!assigns || expr.kids[0]->kind != LoweredKind::Variable || !residents.contains(expr.kids[0]->variable_index))
      return false;
  }
  return parts > 0;
}

sonde_fold_part Folding::part_of(const LoweredExpr& aggregate) const {
  const AggregationDesc& desc = program_.aggregations[aggregate.variable_index];
  const auto function = folded_as(desc.function);
  SONDE_CHECK(function);
  sonde_fold_part part{};
  part.function = static_cast<uint8_t>(*function);
  part.value = part.weight = SONDE_FOLD_NO_SLOT;
  if (*function != SONDE_FOLD_LQUANTIZE) return part;
  part.base = desc.params[0];
  part.step = desc.params.size() > 2 ? desc.params[2] : 1;
  part.levels = static_cast<uint32_t>((desc.params[1] - desc.params[0]) / part.step);
  return part;
}

bool names_thread(const LoweredExpr& expr) {
  if (expr.kind == LoweredKind::Builtin && expr.builtin->from == From::Header &&
      (expr.builtin->which == offsetof(sonde_record, pid) || expr.builtin->which == offsetof(sonde_record, tid)))
    return true;
  return std::ranges::any_of(expr.kids, [](const LoweredExprPtr& kid) { return names_thread(*kid); });
}

}  // namespace sonde
