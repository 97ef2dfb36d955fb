// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/narrowed.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "compiler/check/predicate_text.h"

namespace sonde {
namespace {

bool fires_in_sonde(const ProbeDescription& one) {
  return one.provider == "dtrace" || one.name == "BEGIN" || one.name == "END" || one.name == "ERROR" ||
         one.name.starts_with("tick-");
}

bool names_no_type(std::string_view) { return false; }

}  // namespace

void narrow_clauses(SyntaxTree& tree, const std::string& predicate) {
  if (predicate.empty()) return;
  const std::string in_sonde = "pid == " + std::to_string(getpid());
  const ExprPtr alone = take_predicate(parse_predicate(predicate, names_no_type));
  const ExprPtr beside = take_predicate(parse_predicate(in_sonde + " || " + predicate, names_no_type));
  for (Item& item : tree.items) {
    auto* clause = std::get_if<ClauseAst>(&item);
    const auto own = clause == nullptr ? 0 : std::ranges::count_if(clause->descriptions, fires_in_sonde);
    if (clause == nullptr || own == std::ssize(clause->descriptions)) continue;
    ExprPtr added = clone(own != 0 ? *beside : *alone);
    clause->predicate = clause->predicate ? both(std::move(added), std::move(clause->predicate)) : std::move(added);
  }
}

}  // namespace sonde
