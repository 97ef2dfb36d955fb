// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runtime/consumer/consumer.h"

namespace sonde {

/// --summary: the script that counts system calls; table_of_calls() prints its counts. Of the execve that starts a
/// program only the return is traced.
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

/// Calls, errors and the time from entry to return, one row per system call as in strace -c; the longest time comes
/// first. The counts are not printed a second time.
std::string table_of_calls(Consumer& consumer);

}  // namespace sonde
