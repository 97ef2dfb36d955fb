// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// What a Name means.
ExprPtr check_name(CheckContext& cx, ExprPtr expr);

/// What follows a pointer into the kernel compiles everywhere, and is refused when it is enabled.
void note_kernel(CheckContext& cx, const Expr& pointer);

}  // namespace sonde
