// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/consumer/consumer.h"

namespace sonde {

/// --summary: what counts system calls; table_of_calls() prints what it has counted. The execve that starts a program is seen at its return alone.
inline constexpr char kSummaryScript[] = R"D(
syscall:::entry
{
	self->sonde_entered = timestamp;
}

syscall:::return
/self->sonde_entered || probefunc == "execve"/
{
	@sonde_time[probefunc] = sum(self->sonde_entered ? timestamp - self->sonde_entered : 0);
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
