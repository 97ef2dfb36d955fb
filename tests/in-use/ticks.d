#!/usr/sbin/dtrace -s
/* Calls a period, like vmstat: one line each, counted anew. */
#pragma D option quiet
dtrace:::BEGIN { lines = 0; printf("%6s %8s\n", "LINE", "CALLS"); }
syscall::getppid:entry { @calls = count(); @all = count(); }
profile:::tick-50ms
{
	printf("%6d", ++lines);
	printa(" %@8d\n", @calls);
	clear(@calls);
}
dtrace:::END
{
	printa("rest %@d\n", @calls);
	printa("all %@d\n", @all);
}
