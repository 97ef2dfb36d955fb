// SPDX-License-Identifier: GPL-3.0-or-later
// The test switch SONDE_GUARD_DIE_AT=n: the guard kills itself with SIGKILL at its n-th ptrace call
#pragma once

namespace sonde::guard {

/// Reads the switch from the environment. Context: in the guard, before its first ptrace call.
void arm_ptrace_switch();

}  // namespace sonde::guard
