// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The two ways of a program to a tracepoint
//
//   Raw      tracepoint --> running++ == 0 ? --> program --> running--
//   Event    tracepoint --> preemption off --> what perf keeps of the event --> nobody else's program here? --> program
//
// Raw costs half as much. But since Linux 7 a thread may lose its CPU on that way, within the program or next to it.
// Until it goes on, the kernel runs the program for nobody on that CPU (running > 0), and counts a miss for each event.
// So there, Event is the way of system calls (BpfSource::choose_link()). Its context has the number and the result of
// a call as the raw one has them, one word further for the result; all else comes from the thread's registers.
//
// We refused to put preemption off within the program. Around it are some thirty instructions, and a thread that
// loses its CPU there stops all others as long: it lost no less. We refused a second program for what the first one has
// left out: it must know of each event whether the first one ran, by memory of the thread, and that costs more than the
// event of perf.
#pragma once

#include <linux/bpf.h>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"
#include "runtime/bpf/hooks.h"

namespace sonde::bpf {

constexpr bpf_prog_type program_type(TracepointLink link) {
  return link == TracepointLink::Event ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_RAW_TRACEPOINT;
}

/// From now on the program, of program_type(), runs at the hook's tracepoint, until the descriptor is closed: for an event
/// its end takes 30 to 270 ms. Errors: EOPNOTSUPP, the hook has no event; those of bpf(2), read_tracefs() and
/// perf_event_open(2).
Result<UniqueFd> attach_hook(Hook hook, TracepointLink link, int program);

}  // namespace sonde::bpf
