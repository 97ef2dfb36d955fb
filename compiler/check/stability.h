// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

void note_name(CheckContext& cx, std::string_view name, SourceRange where);

/// args[] is as stable as the arguments of the providers are.
void note_arguments(CheckContext& cx, SourceRange where);

/// Probes count for -x amin only: -v tells their stability apart.
void note_probes(CheckContext& cx, const ClauseAst& clause);

}  // namespace sonde
