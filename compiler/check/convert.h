// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Whether a value like `from` can be stored as `to`.
bool assignable(const Type* to, const Expr& from);

/// Arrays become pointers to their first element.
ExprPtr decay(CheckContext& cx, ExprPtr expr);

/// The string at an address. For an array, `integer` is the size that limits the string.
ExprPtr string_of(CheckContext& cx, ExprPtr expr, SourceRange where);

/// Converts `expr`, which is assignable, to `to`.
ExprPtr convert(CheckContext& cx, ExprPtr expr, const Type* to);

/// Cuts the value to its own type; arrays and records stay as they are.
ExprPtr printable(ExprPtr expr);

}  // namespace sonde
