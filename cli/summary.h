// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/consumer/consumer.h"

namespace sonde {

/// --summary: what counts system calls; table_of_calls() prints what it has counted.
inline constexpr char kSummaryScript[] = R"D(
syscall:::entry
{
	self->sonde_entered = timestamp;
}

syscall:::return
/self->sonde_entered/
{
	@sonde_time[probefunc] = sum(timestamp - self->sonde_entered);
	@sonde_calls[probefunc] = count();
	self->sonde_entered = 0;
}

syscall:::return
/errno/
{
	@sonde_errors[probefunc] = count();
}
)D";

/// Calls, errors and the time from entry to return, a row a system call as strace -c has them; the longest time comes first. What was counted
/// is not printed a second time.
std::string table_of_calls(Consumer& consumer);

}  // namespace sonde
