// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Defines an inline for the text that follows.
void check_inline(CheckContext& cx, InlineSyntax& syntax);

/// The value of an inline with these arguments.
ExprPtr expand_inline(CheckContext& cx, const Symbol& symbol, const std::string& name, std::vector<ExprPtr> arguments,
                      SourceRange where);

/// The value of a parameter of the innermost expansion; null: there is no such parameter.
const Expr* parameter(CheckContext& cx, std::string_view name);

/// Copies an expression for an inline or a translator. An inline may use another one twice, so each level of nesting
/// can double the tree: the number of nodes that a text expands to is limited by its length.
ExprPtr expanded(CheckContext& cx, const Expr& expr, SourceRange where);

/// An expression of that type with an unknown value: used to check a definition before it is used.
ExprPtr stand_in(CheckContext& cx, const Type* type, SourceRange where);

/// A copy of `body`, checked with these parameters.
ExprPtr with_parameters(CheckContext& cx, const Expr& body, Expansion parameters);

}  // namespace sonde
