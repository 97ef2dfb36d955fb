#!/usr/sbin/dtrace -s
/* Time off the CPU, by program and stack, in ms. */
#pragma D option quiet
sched:::sleep { self->off = timestamp; }
sched:::on-cpu
/self->off/
{
	@[execname, ustack(3)] = sum((timestamp - self->off) / 1000000);
	self->off = 0;
}
