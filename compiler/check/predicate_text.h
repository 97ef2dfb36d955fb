// SPDX-License-Identifier: GPL-3.0-or-later
// Predicates that no script contains: of options, and of probes that fire under a condition
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "compiler/ast/declarations.h"
#include "compiler/source/diagnostic.h"

namespace sonde {

/// A tree whose only clause has `text`, an expression in D, as its predicate; null if it is none, which is reported.
/// `is_type` as in ParserQuestions. The tree owns what casts in it name.
std::shared_ptr<SyntaxTree> parse_predicate(const std::string& text,
                                            const std::function<bool(std::string_view)>& is_type,
                                            Diagnostics& diagnostics);
ExprPtr take_predicate(const std::shared_ptr<SyntaxTree>& tree);

}  // namespace sonde
