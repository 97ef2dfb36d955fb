// SPDX-License-Identifier: GPL-3.0-or-later
// From the typed tree to the lowered one
//
// The checker rewrites the syntax tree in place, because inlines and translators mix checked and unchecked trees. When
// all of a text is checked, the tree is copied here into nodes that have only lowered kinds. No decisions are made
// here.
#include "compiler/check/lower.h"

#include "runtime/base/check.h"

namespace sonde {
namespace {

LoweredKind lower(ExprKind kind) {
  switch (kind) {
    case ExprKind::Integer: return LoweredKind::Integer;
    case ExprKind::String: return LoweredKind::String;
    case ExprKind::Call: return LoweredKind::Call;
    case ExprKind::Unary: return LoweredKind::Unary;
    case ExprKind::Binary: return LoweredKind::Binary;
    case ExprKind::Logical: return LoweredKind::Logical;
    case ExprKind::Conditional: return LoweredKind::Conditional;
    case ExprKind::Assign: return LoweredKind::Assign;
    case ExprKind::Update: return LoweredKind::Update;
    case ExprKind::Cast: return LoweredKind::Cast;
    case ExprKind::StringOf: return LoweredKind::StringOf;
    case ExprKind::Deref: return LoweredKind::Deref;
    case ExprKind::AddressOf: return LoweredKind::AddressOf;
    case ExprKind::Comma: return LoweredKind::Comma;
    case ExprKind::Aggregate: return LoweredKind::Aggregate;
    case ExprKind::AggregationRef: return LoweredKind::AggregationRef;
    case ExprKind::Variable: return LoweredKind::Variable;
    case ExprKind::ArrayElement: return LoweredKind::ArrayElement;
    case ExprKind::Builtin: return LoweredKind::Builtin;
    case ExprKind::Name:
    case ExprKind::Macro:
    case ExprKind::Member:
    case ExprKind::Index:
    case ExprKind::SizeofType:
    case ExprKind::SizeofExpr:
    case ExprKind::Offsetof:
    case ExprKind::Stringof:
    case ExprKind::Xlate: break;
  }
  SONDE_CHECK(!"a checked expression");
  return LoweredKind::Integer;
}

LoweredExprPtr lower(Expr& expr) {
  auto out = std::make_unique<LoweredExpr>();
  out->kind = lower(expr.kind);
  out->kids.reserve(expr.kids.size());
  for (const ExprPtr& kid : expr.kids) out->kids.push_back(lower(*kid));
  ExprFacts& facts = expr;
  static_cast<ExprFacts&>(*out) = std::move(facts);
  return out;
}

std::vector<LoweredStatement> lower(std::vector<Statement>& list) {
  std::vector<LoweredStatement> out;
  out.reserve(list.size());
  for (Statement& one : list)
    out.push_back({one.kind == Statement::Kind::If, one.where, lower(*one.expression), lower(one.then_part),
                   lower(one.else_part)});
  return out;
}

}  // namespace

LoweredClause lower(ClauseAst clause) {
  LoweredClause out{clause.where, std::move(clause.descriptions), clause.predicate ? lower(*clause.predicate) : nullptr,
                    lower(clause.statements), std::move(clause.needs)};
  for (PrefaceAst& one : clause.prefaces) {
    LoweredPreface& made = out.prefaces.emplace_back();
    made.when = one.when ? lower(*one.when) : nullptr;
    made.derived = one.derived ? lower(*one.derived) : nullptr;
    for (auto& [index, value] : one.arguments) made.arguments.emplace_back(index, lower(*value));
    made.probes = std::move(one.probes);
  }
  out.hidden = clause.hidden;
  return out;
}

}  // namespace sonde
