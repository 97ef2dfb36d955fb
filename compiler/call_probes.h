// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "compiler/split/split_clause.h"

namespace sonde {

/// The probes of system calls that a clause matches. All of them exist before anything is enabled.
std::vector<CallProbe> calls_of(ProbeCatalog& probes, const LoweredClause& clause);

/// The entry probes of those matched returns whose arguments must be shown as they were at entry.
std::vector<CallProbe> entries_of(ProbeCatalog& probes, const LoweredClause& clause);

}  // namespace sonde
