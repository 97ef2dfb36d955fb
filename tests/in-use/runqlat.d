#!/usr/sbin/dtrace -s
/* How long threads wait for a CPU, from when they are woken, or preempted, until they run. */
#pragma D option quiet
sched:::wakeup { ready[args[0]->pr_lwpid] = timestamp; }
sched:::preempt { ready[tid] = timestamp; }
sched:::on-cpu
/ready[tid]/
{
	@["ns"] = quantize(timestamp - ready[tid]);
	ready[tid] = 0;
}
