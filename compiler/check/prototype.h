// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

void check_count(CheckContext& cx, const std::string& name, const Prototype& prototype, size_t passed,
                 SourceRange where);

/// Checks and converts kids[1 + first] and later; kids[0] is the name of the function.
void check_arguments(CheckContext& cx, const std::string& name, const Prototype& prototype, Expr& expr,
                     size_t first = 0);

/// Checks argument number `number`, and converts it to the type of its parameter.
ExprPtr check_passed(CheckContext& cx, const std::string& name, ExprPtr argument, const Type* parameter, size_t number);
[[noreturn]] void argument_mismatch(CheckContext& cx, const std::string& name, size_t number,
                                    const std::string& prototype, const Expr& argument,
                                    std::string_view brackets = "( )", const std::string& hint = {});

}  // namespace sonde
