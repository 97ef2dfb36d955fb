// SPDX-License-Identifier: GPL-3.0-or-later
// What a run's options ask of the machine: settled, or refused, before anything is armed
#pragma once

#include "runtime/base/result.h"
#include "runtime/body/output.h"
#include "runtime/lang/options.h"
#include "runtime/program/program.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// Has the source make its buffers, of bufsize bytes each. bufresize=auto: a size that cannot be had is halved until it can, and a message says so.
/// Errors: the source's.
Result<void> create_buffers(EventSource& source, const Options& options, Output& output);
/// Lowers aggsize in the same way, until there is memory for it: aggregations grow as they need, so this only looks. Errors: ENOMEM.
Result<void> settle_aggregation_size(Options& options, Output& output);
/// Errors: ENOSPC, a clause's record is larger than a whole buffer, or an element than aggsize; ENOTSUP, a clause cannot be enabled at all. What is
/// as long as the event makes it is not counted.
Result<void> check_clauses(const BodyProgram& program, const Options& options);
/// Errors: EINVAL, interval is under 100 ms, or eofexit's standard input is neither pipe nor socket, so that its end cannot be waited for.
Result<void> check_ends(const Options& options);
/// -x cpu: this thread runs there from now on, and timers that are started later fire there. Errors: EINVAL, there is no such CPU; those of sched_setaffinity(2).
Result<void> keep_to_cpu(const Options& options);

}  // namespace sonde
