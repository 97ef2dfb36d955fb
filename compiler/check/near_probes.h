// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "runtime/program/probes.h"

namespace sonde {

/// A hint for a description that matches no probe: a known description of another tool, the same words in other fields,
/// or the probe with the nearest words; if the provider is unknown, which ones exist. A line; empty: no hint.
std::string near_probes(ProbeCatalog& probes, const ProbeDescription& wanted);

/// The same words in other fields, if a probe matches them so: `syscall::openat`, `BEGIN:::`, `*open*`. Fields fill
/// from the right, and the script may have left one out.
std::optional<ProbeDescription> in_other_fields(ProbeCatalog& probes, const ProbeDescription& wanted);

}  // namespace sonde
