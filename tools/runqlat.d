#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runqlat: shows how long threads wait for a CPU once they could run
 *
 * At the end, how many waits took how long, in nanoseconds: from when a thread was woken, or lost its CPU to another one, until
 * it ran again. With --by=process there is one such table for each program. Long waits say that there are too few CPUs for
 * what runs, or that a limit holds it back. The first time that a new thread runs is not counted.
 *
 * option by=WHAT all: one table for all, or one for each process
 * option name=NAME: only programs with this name
 * needs: root, and Linux 6.1
 * example: sonde runqlat --duration=5s
 *     all waits of the machine within five seconds
 */
#pragma D option quiet

BEGIN
/$$by != "all" && $$by != "process"/
{
	printf("--by=%s: it is all or process\n", $$by);
	exit(1);
}

/* A thread that is woken twice has been ready since the first time. */
sched:::wakeup
/!ready[args[0]->pr_lwpid]/
{
	ready[args[0]->pr_lwpid] = timestamp;
}

sched:::preempt
{
	ready[tid] = timestamp;
}

sched:::sleep
{
	ready[tid] = 0;
}

sched:::on-cpu
/ready[tid] && ($$name == "" || execname == $$name) && ($target == 0 || progenyof($target)) && $$by == "all"/
{
	@all["all"] = quantize(timestamp - ready[tid]);
}

sched:::on-cpu
/ready[tid] && ($$name == "" || execname == $$name) && ($target == 0 || progenyof($target)) && $$by == "process"/
{
	@process[execname, pid] = quantize(timestamp - ready[tid]);
}

sched:::on-cpu
{
	ready[tid] = 0;
}

END
{
	printa("waits for a CPU, %s, in ns\n%@d\n", @all);
	printa("waits for a CPU, %s %d, in ns\n%@d\n", @process);
}
