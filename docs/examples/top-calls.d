#!/usr/bin/env -S sonde -s
/*
 * The ten most frequent system calls of each interval, as many intervals as the second argument says.
 *
 *   sonde -s top-calls.d -p 1234 1s 5        five times one second
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option aggsortrev

int rounds;

syscall:::entry
{
	@top[execname, probefunc] = count();
}

tick-$1
{
	printf("%Y\n", walltimestamp);
	trunc(@top, 10);
	printa("  %-16s %-24s %@8d\n", @top);
	clear(@top);
	rounds++;
}

tick-$1
/$2 && rounds == $2/
{
	exit(0);
}
