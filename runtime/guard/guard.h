// SPDX-License-Identifier: GPL-3.0-or-later
// The guard: the process that owns ptrace. docs/guard.md has its theory.
#pragma once

namespace sonde {

/// Serves one session on `socket` and looks after its targets until nothing needs it. Its end lets threads go that sleep.
/// Context: the main thread of a process of its own, freshly forked.
[[noreturn]] void guard_main(int socket);

}  // namespace sonde
