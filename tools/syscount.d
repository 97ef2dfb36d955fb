#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * syscount: counts system calls, and the time in them
 *
 * At the end, a row for each call: the time from entry to return of all of them, waiting included, how often it was made, and how
 * many failed. A call that has not returned is not there. The one with the most time comes last.
 *
 * option process: a row for each process
 * option both: a row for each call of each process
 * option name=NAME: only programs with this name
 * example: sonde syscount --both make
 *     each program of a build, with its calls
 */
#pragma D option quiet

syscall:::entry
/$$name == "" || execname == $$name/
{
	self->entered = timestamp;
}

syscall:::return
/self->entered && $process == 0 && $both == 0/
{
	@time[probefunc] = sum(timestamp - self->entered);
	@calls[probefunc] = count();
	@failed[probefunc] = sum(errno != 0);
}

syscall:::return
/self->entered && $process/
{
	@process_time[pid, execname] = sum(timestamp - self->entered);
	@process_calls[pid, execname] = count();
	@process_failed[pid, execname] = sum(errno != 0);
}

syscall:::return
/self->entered && $both/
{
	@both_time[pid, execname, probefunc] = sum(timestamp - self->entered);
	@both_calls[pid, execname, probefunc] = count();
	@both_failed[pid, execname, probefunc] = sum(errno != 0);
}

syscall:::return
{
	self->entered = 0;
}

END
{
	normalize(@time, 1000);
	normalize(@process_time, 1000);
	normalize(@both_time, 1000);
}

END
/$process == 0 && $both == 0/
{
	printf("%12s %10s %10s  %s\n", "TIME us", "CALLS", "FAILED", "CALL");
	printa("%@12d %@10d %@10d  %s\n", @time, @calls, @failed);
}

END
/$process/
{
	printf("%12s %10s %10s  %-7s %s\n", "TIME us", "CALLS", "FAILED", "PID", "PROGRAM");
	printa("%@12d %@10d %@10d  %-7d %s\n", @process_time, @process_calls, @process_failed);
}

END
/$both/
{
	printf("%12s %10s %10s  %-7s %-16s %s\n", "TIME us", "CALLS", "FAILED", "PID", "PROGRAM", "CALL");
	printa("%@12d %@10d %@10d  %-7d %-16s %s\n", @both_time, @both_calls, @both_failed);
}
