// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

void check_declaration(CheckContext& cx, DeclarationSyntax& syntax);

/// Refuses a declared name with a backquote scope.
void require_unscoped(CheckContext& cx, const std::string& name, SourceRange where);

/// Refuses a name that something else has already.
void require_new(CheckContext& cx, const std::string& name, SourceRange where);

}  // namespace sonde
