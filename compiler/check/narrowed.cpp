// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/narrowed.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "compiler/check/predicate_text.h"
#include "runtime/base/check.h"

namespace sonde {
namespace {

bool fires_in_sonde(const ProbeDescription& one) {
  return one.provider == "dtrace" || one.name == "BEGIN" || one.name == "END" || one.name == "ERROR" ||
         one.name.starts_with("tick-");
}

/// Of an option, so it is right.
ExprPtr parsed(const std::string& predicate) {
  Diagnostics none;
  const auto tree = parse_predicate(
      predicate, [](std::string_view) { return false; }, none);
  SONDE_CHECK(tree != nullptr);
  return take_predicate(tree);
}

ExprPtr both(ExprPtr first, ExprPtr second) {
  ExprPtr whole = std::make_unique<Expr>();
  whole->kind = ExprKind::Logical;
  whole->op = Op::LogAnd;
  whole->where = second->where;
  whole->kids.push_back(std::move(first));
  whole->kids.push_back(std::move(second));
  return whole;
}

}  // namespace

void narrow_clauses(SyntaxTree& tree, const std::string& predicate) {
  if (predicate.empty()) return;
  const ExprPtr alone = parsed(predicate), beside = parsed("pid == " + std::to_string(getpid()) + " || " + predicate);
  for (Item& item : tree.items) {
    auto* clause = std::get_if<ClauseAst>(&item);
    const auto own = clause == nullptr ? 0 : std::ranges::count_if(clause->descriptions, fires_in_sonde);
    if (clause == nullptr || own == std::ssize(clause->descriptions)) continue;
    ExprPtr added = clone(own != 0 ? *beside : *alone);
    clause->predicate = clause->predicate ? both(std::move(added), std::move(clause->predicate)) : std::move(added);
  }
}

}  // namespace sonde
