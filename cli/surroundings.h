// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sonde {

/// Runs `command` as if the caller had given it what callers usually give: descriptors 0 to 2, a stack of 8 MiB, and no
/// signal for a file that becomes too long. Returns the command's result. The programs that the command starts get what
/// the caller gave.
/// Context: first thing in main(), before any descriptor is opened and any thread exists.
int run_in_usual_surroundings(int (*command)(int argc, char** argv), int argc, char** argv);

}  // namespace sonde
