// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a process that is not dumpable
//
// A process that has made itself not dumpable (ssh-agent, gpg-agent) cannot be read or written by a tracer without
// privilege, except through a descriptor that is already open. A child that it forks has memory of its own, with copies
// of the breakpoints, for which there is none. But the child may make itself dumpable, and so we let it do that at its
// first stop, before its first instruction, open its memory, and let it take that back.
//
// Meanwhile, for some 50 us, others of the same user could open it as well. The guard gains nothing: it has the same
// content open, in the parent. A thread whose own seccomp filter might forbid the call makes none.
//
// We refused to take the breakpoints out of the parent before each fork: its other threads would pass without a hit,
// and every call would have to stop.
#pragma once

#include <functional>

#include "runtime/guard/targets.h"

namespace sonde::guard {

/// Calls `act` while the process of a stopped thread is dumpable, if it was not and can be made so. False: it could not
/// be made undumpable again.
bool while_dumpable(Thread& thread, const std::function<void()>& act);

}  // namespace sonde::guard
