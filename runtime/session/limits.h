// SPDX-License-Identifier: GPL-3.0-or-later
// What a run's options need from the machine: settled, or refused, before anything is armed
#pragma once

#include "runtime/base/result.h"
#include "runtime/body/output.h"
#include "runtime/lang/options.h"
#include "runtime/program/program.h"
#include "runtime/source/event_source.h"

namespace sonde {

/// Makes the source create its buffers, of bufsize bytes each. With bufresize=auto, a size that cannot be had is halved
/// until it can, with a message.
/// Errors: the source's.
Result<void> create_buffers(EventSource& source, const Options& options, Output& output);
/// Lowers aggsize in the same way until there is memory for it. It only checks: aggregations allocate as they grow.
/// Errors: ENOMEM.
Result<void> settle_aggregation_size(Options& options, Output& output);
/// Errors: ENOSPC, a clause's record is larger than a whole buffer, or an element larger than aggsize; ENOTSUP, a
/// clause cannot be enabled at all. Parts of a record whose length depends on the event are not counted.
Result<void> check_clauses(const BodyProgram& program, const Options& options);
/// Errors: EINVAL, interval is under 100 ms, or eofexit is set and standard input is neither pipe nor socket, so its
/// end cannot be waited for.
Result<void> check_ends(const Options& options);
/// -x cpu: binds this thread to that CPU; timers that are started later fire there too. Errors: EINVAL, there is no
/// such CPU; those of sched_setaffinity(2).
Result<void> keep_to_cpu(const Options& options);

}  // namespace sonde
