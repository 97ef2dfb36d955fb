#!/usr/sbin/dtrace -s
/* Time between threads on each processor. */
#pragma D option quiet
sched:::off-cpu { start[cpu] = timestamp; }
sched:::on-cpu
/start[cpu]/
{
	@switches = count();
	@time = sum(timestamp - start[cpu]);
	start[cpu] = 0;
}
tick-1sec { printa("%@d switches, %@d ns\n", @switches, @time); clear(@switches); clear(@time); }
