// SPDX-License-Identifier: GPL-3.0-or-later
// Signals that traced threads send by system calls
//
// A tracer is told when a signal arrives, not when it is sent. But a signal that is sent by a call can be detected at
// the end of that call, in the sender:
//
//   kill ------------------------------------> receiver: a process, or a group (number negative; -1 all; no thread)
//   tkill, tgkill, rt_tgsigqueueinfo --------> a thread
//   rt_sigqueueinfo, pidfd_send_signal ------> a process; a pidfd is resolved by /proc/PID/fdinfo
//
// A call that failed sent nothing, nor did one with signal 0. Not detected: signals that the kernel sends by itself
// (SIGCHLD, SIGPIPE, timers), and those of processes that are not traced. Pids are those of the sender's namespace, as
// in its call.
#pragma once

#include <optional>

#include "runtime/guard/targets.h"

namespace sonde::guard {

/// The SIGNAL_SEND firing for a call that has returned; none: it sent nothing. The siginfo of 32-bit callers is not
/// read.
std::optional<Firing> send_of(const Thread& sender, const utrace_call& made);

/// Like send_of(), for a sender that is ending because the call that killed it did not return.
std::optional<Firing> last_send_of(const Thread& sender, const utrace_call& made);

}  // namespace sonde::guard
