/* How long a thread sleeps, in milliseconds. */
syscall::*nanosleep:entry
{
	self->asleep = timestamp;
}
syscall::*nanosleep:return
/self->asleep/
{
	@ms[execname] = lquantize((timestamp - self->asleep) / 1000000, 0, 100, 10);
	@total = sum(timestamp - self->asleep);
	self->asleep = 0;
}
END
{
	normalize(@total, 1000000);
	printa("total %@d ms\n", @total);
	denormalize(@total);
	printa("total %@d ns\n", @total);
}
