// SPDX-License-Identifier: GPL-3.0-or-later
// The guard: the process that makes all ptrace calls. docs/guard.md has its theory.
#pragma once

namespace sonde {

/// Serves one session on `socket`, and takes care of its targets until nothing needs it any more. Its end lets threads
/// go that sleep. Context: the main thread of a process of its own, just forked.
[[noreturn]] void guard_main(int socket);

}  // namespace sonde
