// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "runtime/program/probes.h"

namespace sonde {

/// What may have been meant by a description that matches no probe: another tool's description, the same words in other fields, the
/// probe with the nearest words; who has probes at all, where it is the provider that is unknown. A line; empty: nothing comes to mind.
std::string near_probes(ProbeCatalog& probes, const ProbeDescription& wanted);

/// `syscall::openat`, `BEGIN:::`, `*open*`: fields fill from the right, and a field may have been left out. The same words in other fields, where
/// some probe matches them so.
std::optional<ProbeDescription> in_other_fields(ProbeCatalog& probes, const ProbeDescription& wanted);

}  // namespace sonde
