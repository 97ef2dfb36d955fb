// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sonde {

/// The sonde command. Returns the exit status: 0, or the argument of exit(); 1 fatal; 2 usage.
int run_command(int argc, char** argv);

}  // namespace sonde
