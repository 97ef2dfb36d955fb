// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/program/probes.h"

namespace sonde {

/// What may have been meant by a description that matches no probe: another tool's description, the same words in other fields, the
/// probe with the nearest words; who has probes at all, where it is the provider that is unknown. A line; empty: nothing comes to mind.
std::string near_probes(ProbeCatalog& probes, const ProbeDescription& wanted);

}  // namespace sonde
