// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/predicate_text.h"

#include <optional>
#include <utility>

#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"
#include "runtime/base/check.h"

namespace sonde {

std::shared_ptr<SyntaxTree> parse_predicate(const std::string& text,
                                            const std::function<bool(std::string_view)>& is_type) {
  Diagnostics wrong;
  const ParserQuestions questions{is_type, [](std::string_view) { return std::optional<std::string>(); }};
  auto tree =
      std::make_shared<SyntaxTree>(parse(prepare("BEGIN /" + text + "/ {}", wrong).text, true, questions, wrong));
  SONDE_CHECK(!wrong.any() && tree->items.size() == 1);
  return tree;
}

ExprPtr take_predicate(const std::shared_ptr<SyntaxTree>& tree) {
  return std::move(std::get<ClauseAst>(tree->items[0]).predicate);
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

}  // namespace sonde
