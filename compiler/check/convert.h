// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// A value like `from` can be stored as `to`.
bool assignable(const Type* to, const Expr& from);

/// Arrays become pointers to their first element.
ExprPtr decay(CheckContext& cx, ExprPtr expr);

/// The string that begins there. Of an array `integer` is the size, which the string does not pass.
ExprPtr string_of(CheckContext& cx, ExprPtr expr, SourceRange where);

/// `expr`, which is assignable, as a value of type `to`.
ExprPtr convert(CheckContext& cx, ExprPtr expr, const Type* to);

/// Cut to its own type; arrays and records stay as they are.
ExprPtr printable(ExprPtr expr);

}  // namespace sonde
