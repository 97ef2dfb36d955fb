#!/usr/sbin/dtrace -s
/* The two busiest calls of each period. */
#pragma D option quiet
syscall:::entry
/pid == $target/
{
	@[probefunc] = count();
}
profile:::tick-100ms
{
	trunc(@, 2);
	printa("%s %@d\n", @);
	printf("--\n");
	trunc(@);
}
END { printa("%s %@d\n", @); }
