#!/usr/bin/env -S sonde -s
/*
 * Which system calls take how long, by process: calls, mean and total, in microseconds.
 *
 *   sonde -s syscall-latency.d -c 'find /etc -name passwd'
 */
#pragma D option quiet

BEGIN
{
	start = timestamp;
}

syscall:::entry
{
	self->began = timestamp;
}

syscall:::return
/self->began/
{
	this->took = timestamp - self->began;
	self->began = 0;
	@calls[execname, probefunc] = count();
	@mean[execname, probefunc] = avg(this->took);
	@total[execname, probefunc] = sum(this->took);
	@shape[execname] = quantize(this->took);
}

END
{
	printf("traced for %d ms\n\n", (timestamp - start) / 1000000);
	printf("%-16s %-20s %8s %12s %12s\n", "PROCESS", "CALL", "CALLS", "MEAN (us)", "TOTAL (us)");
	normalize(@mean, 1000);
	normalize(@total, 1000);
	printa("%-16s %-20s %@8d %@12d %@12d\n", @calls, @mean, @total);
	printf("\nnanoseconds a call, all calls of a process:\n");
	printa("%s%@d\n", @shape);
}
