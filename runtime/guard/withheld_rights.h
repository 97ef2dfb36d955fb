// SPDX-License-Identifier: GPL-3.0-or-later
// Rights that a program's file gives to who runs it: set-user-ID, set-group-ID, capabilities
//
// The kernel gives them to no process that is traced by a user who has no privilege himself. So su, sudo and ping fail
// under an ordinary user's tracer, and what they print does not say why.
#pragma once

#include <sys/types.h>

#include <string>

namespace sonde::guard {

/// After an exec: which of these the process has not got because we trace it, as "set-user-ID"; empty: none.
std::string withheld_rights(pid_t pid);

}  // namespace sonde::guard
