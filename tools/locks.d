#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * locks: shows how long threads wait for mutexes, by the code that locks them
 *
 * At the end, for each call of pthread_mutex_lock() in the code: how often it was made, how many of these calls took longer than
 * --wait, and how long all of these together and the longest took, in microseconds; and the mutex. The call with the most waiting comes
 * last. What a call takes without waiting, a microsecond or less, has the cost of tracing in it: on ptrace, which traces
 * PROGRAM without root, some ten microseconds. With --stacks it shows the whole stacks of the calls that waited, with their
 * time; with --format=svg that is a flame graph. A call that has not returned is not counted: sonde --why -p PID says what it
 * waits for. Mutexes that are robust or inherit priorities wait elsewhere: their waits are not there.
 *
 * option wait=TIME 100us: what takes at least this long has waited
 * option stacks: by stack, only what has waited
 * option name=NAME: only programs with this name
 * option top=COUNT: of --stacks only so many, those of the longest time; 0 is all
 * example: sonde locks --stacks --top=3 sh -c 'xz -T2 --block-size=100KiB -c /bin/bash >/dev/null'
 *     where the threads of xz wait for each other
 */
#pragma D option quiet

self uint64_t began;

inline int waited = timestamp - self->began >= $wait;

pid*:libc.so.6:pthread_mutex_lock:entry
/$$name == "" || execname == $$name/
{
	self->began = timestamp;
	self->depth = uregs[R_SP];
	self->mutex = arg0;
}

pid*:libc.so.6:pthread_mutex_lock:return
/self->began && uregs[R_SP] == self->depth && !$stacks/
{
	@calls[execname, self->mutex, uaddr(ucaller)] = count();
	@waits[execname, self->mutex, uaddr(ucaller)] = sum(waited);
	@time[execname, self->mutex, uaddr(ucaller)] = sum(waited ? timestamp - self->began : 0);
	@longest[execname, self->mutex, uaddr(ucaller)] = max(waited ? timestamp - self->began : 0);
}

pid*:libc.so.6:pthread_mutex_lock:return
/self->began && uregs[R_SP] == self->depth && $stacks && waited/
{
	@by_stack[execname, ustack()] = sum(timestamp - self->began);
}

pid*:libc.so.6:pthread_mutex_lock:return
{
	self->began = 0;
}

END
/$top > 0/
{
	trunc(@by_stack, $top);
}

END
/!$stacks/
{
	normalize(@time, 1000);
	normalize(@longest, 1000);
	printf("%12s %12s %10s %10s  %-16s %-18s %s\n", "TIME us", "LONGEST us", "WAITS", "CALLS", "PROGRAM", "MUTEX", "CALL");
	printa("%@12d %@12d %@10d %@10d  %-16s %#-18x %A\n", @time, @longest, @waits, @calls);
}

END
/$stacks/
{
	normalize(@by_stack, 1000);
	printa("  %s%k%@20d us\n\n", @by_stack);
}
