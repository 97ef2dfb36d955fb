// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

ExprPtr check_assign(CheckContext& cx, ExprPtr expr);

/// op=, ++ and --.
ExprPtr check_update(CheckContext& cx, ExprPtr expr);

}  // namespace sonde
