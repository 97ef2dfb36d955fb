// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// The row of the called function, and its name; null if D has no such function.
const DFunction* function_of(CheckContext& cx, const Expr& call, std::string& name);
/// `choice`: the hint where no name is near.
[[noreturn]] void unknown_function(CheckContext& cx, const std::string& name, SourceRange where,
                                   const std::string& choice = {});

/// copyin(address, size)
ExprPtr call_copyin(CheckContext& cx, ExprPtr address, ExprPtr size, SourceRange where);

/// A call inside of an expression.
ExprPtr check_call(CheckContext& cx, ExprPtr expr);

}  // namespace sonde
