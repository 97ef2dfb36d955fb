// SPDX-License-Identifier: GPL-3.0-or-later
// sonde --check-provider: what the author of a plug-in wants to know of it
#pragma once

#include <string>
#include <vector>

namespace sonde {

/// Runs the plug-in through its whole life, in a child, and prints what it has and does: its probes, their arguments and taps, and how often
/// they fire while `command` runs, or half a second. Checks the contract of provider.h on the way. 0: nothing is wrong, else 1.
int check_plugin(const std::string& path, const std::vector<std::string>& command);

}  // namespace sonde
