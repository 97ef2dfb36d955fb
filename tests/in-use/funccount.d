#!/usr/sbin/dtrace -s
/* How often each function of a program is called. */
#pragma D option quiet
pid$target:a.out::entry
{
	@calls[probefunc] = count();
}
END { printa("%-30s %@8d\n", @calls); }
