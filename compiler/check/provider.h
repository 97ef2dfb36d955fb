// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Checks a provider declaration, and notes it.
void check_provider(CheckContext& cx, const ProviderSyntax& syntax);

}  // namespace sonde
