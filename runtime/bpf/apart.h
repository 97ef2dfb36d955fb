// SPDX-License-Identifier: MIT OR GPL-2.0-only
#pragma once

namespace sonde::bpf {

/// Runs `act(argument)` in a process that shares this one's memory: what kills it does not kill us. `act` may make no
/// call of a library. Returns its wait status, SIGKILL if it did not end in a second; -1, with errno: it could not be
/// started.
int run_apart(void (*act)(void*), void* argument);

}  // namespace sonde::bpf
