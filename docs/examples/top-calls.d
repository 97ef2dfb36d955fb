#!/usr/bin/env -S sonde -s
/*
 * The ten most frequent system calls of each second, as many seconds as the argument says; without it until Ctrl-C.
 *
 *   sonde -s top-calls.d -p 1234 5        five times
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option aggsortrev

int rounds;

syscall:::entry
{
	@top[execname, probefunc] = count();
}

tick-1s
{
	printf("%Y\n", walltimestamp);
	trunc(@top, 10);
	printa("  %-16s %-24s %@8d\n", @top);
	clear(@top);
	rounds++;
}

tick-1s
/$1 && rounds == $1/
{
	exit(0);
}
