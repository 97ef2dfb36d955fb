// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/check/predicate_text.h"

#include <optional>
#include <utility>

#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"

namespace sonde {

std::shared_ptr<SyntaxTree> parse_predicate(const std::string& text,
                                            const std::function<bool(std::string_view)>& is_type,
                                            Diagnostics& diagnostics) {
  const size_t before = diagnostics.list().size();
  const ParserQuestions questions{is_type, [](std::string_view) { return std::optional<std::string>(); }};
  const std::string whole = prepare("BEGIN /" + text + "/ {}", diagnostics).text;
  auto tree = std::make_shared<SyntaxTree>(parse(whole, true, questions, diagnostics));
  const bool alone = tree->items.size() == 1 && std::holds_alternative<ClauseAst>(tree->items[0]);
  return diagnostics.list().size() == before && alone ? tree : nullptr;
}

ExprPtr take_predicate(const std::shared_ptr<SyntaxTree>& tree) {
  return std::move(std::get<ClauseAst>(tree->items[0]).predicate);
}

}  // namespace sonde
