// SPDX-License-Identifier: GPL-3.0-or-later
// sonde --check-provider: a report on a plug-in, for its author
#pragma once

#include <string>
#include <vector>

namespace sonde {

/// Runs the plug-in through its whole life in a child, and prints what it has and does: its probes, their arguments and
/// taps, and how often they fire while `command` runs, or for half a second. Checks the contract of provider.h on the
/// way. Returns 0 if nothing is wrong, else 1.
int check_plugin(const std::string& path, const std::vector<std::string>& command);

}  // namespace sonde
