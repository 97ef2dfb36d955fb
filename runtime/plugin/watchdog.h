// SPDX-License-Identifier: GPL-3.0-or-later
// Reports ops of plug-ins that do not return
//
// While an op runs, sonde waits: for the op itself, or for the firing that it is part of. A thread of its own looks at
// the table of ops (runtime/framework/op_scope.h) once a second, so ops pay no clock. One that has been there for 5 s is
// reported once. If the user has asked for the end (SIGINT, SIGTERM), and 5 s later such an op still has not returned,
// the signal ends sonde: the targets then run on untraced.
#pragma once

#include <chrono>

namespace sonde {

/// Starts the thread; more calls have no effect. `patience`: how long an op may take.
void watch_ops(std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace sonde
