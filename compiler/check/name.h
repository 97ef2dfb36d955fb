// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Resolves a Name.
ExprPtr check_name(CheckContext& cx, ExprPtr expr);

/// A pointer into the kernel compiles on every source; a clause that reads through it is refused when it is enabled.
void note_kernel(CheckContext& cx, const Expr& pointer);

}  // namespace sonde
