// SPDX-License-Identifier: GPL-3.0-or-later
// Signals that traced threads send, as their system calls show them
//
// A tracer sees a signal arrive, not leave. But who sends by a call is seen at the call's end, in the sender:
//
//   kill ------------------------------------> receiver: a process, or a group (its number, negative; -1 all; no thread)
//   tkill, tgkill, rt_tgsigqueueinfo --------> a thread
//   rt_sigqueueinfo, pidfd_send_signal ------> a process; a pidfd is resolved by /proc/PID/fdinfo
//
// A call that failed has sent nothing, nor has signal 0. What the kernel sends by itself (SIGCHLD, SIGPIPE, timers), and what
// processes send that are not traced, is not seen. Pids are those of the sender's namespace, as in its call.
#pragma once

#include <optional>

#include "runtime/guard/targets.h"

namespace sonde::guard {

/// The firing of SIGNAL_SEND, of a call that has returned; none: it has sent nothing. The siginfo that 32-bit code passes is not read.
std::optional<Firing> send_of(const Thread& sender, const utrace_call& made);

/// As send_of(), for a sender that ends: the call that killed it did not return.
std::optional<Firing> last_send_of(const Thread& sender, const utrace_call& made);

}  // namespace sonde::guard
