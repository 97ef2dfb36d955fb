// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

void check_declaration(CheckContext& cx, DeclarationSyntax& syntax);

/// A declared name may not be scoped by a backquote.
void require_unscoped(CheckContext& cx, const std::string& name, SourceRange where);

/// Nothing else may be called that.
void require_new(CheckContext& cx, const std::string& name, SourceRange where);

}  // namespace sonde
