// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

void note_name(CheckContext& cx, std::string_view name, SourceRange where);

/// args[] is as stable as its provider's arguments.
void note_arguments(CheckContext& cx, SourceRange where);

/// Probes count only for -x amin: -v shows their stability separately.
void note_probes(CheckContext& cx, const ClauseAst& clause);

}  // namespace sonde
