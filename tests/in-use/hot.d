#!/usr/sbin/dtrace -s
/* Which function uses the processor: samples, the most one. */
#pragma D option quiet
profile-997hz
/pid == $target && arg1/
{
	@hot[ufunc(arg1)] = count();
	@all = count();
}
END
{
	trunc(@hot, 1);
	printa("%A %@d\n", @hot);
	printa("of %@d samples\n", @all);
}
