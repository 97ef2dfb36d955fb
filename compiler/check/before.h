// SPDX-License-Identifier: GPL-3.0-or-later
// Clauses that providers want before those of a script: sonde_probe_in_d()
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Checks the clauses of `text` and adds them to the context's, once for each text of a script.
void add_clauses_before(CheckContext& cx, const std::string& text);

}  // namespace sonde
