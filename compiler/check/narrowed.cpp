// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/narrowed.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"
#include "runtime/base/check.h"

namespace sonde {
namespace {

bool fires_in_sonde(const ProbeDescription& one) {
  return one.provider == "dtrace" || one.name == "BEGIN" || one.name == "END" || one.name == "ERROR" ||
         one.name.starts_with("tick-");
}

ExprPtr parsed(const std::string& predicate) {
  Diagnostics wrong;
  const ParserQuestions none{[](std::string_view) { return false; },
                             [](std::string_view) { return std::optional<std::string>(); }};
  SyntaxTree tree = parse(prepare("BEGIN /" + predicate + "/ {}", wrong).text, true, none, wrong);
  SONDE_CHECK(!wrong.any() && tree.items.size() == 1);
  return std::move(std::get<ClauseAst>(tree.items[0]).predicate);
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
