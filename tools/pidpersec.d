#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pidpersec: shows how many processes are born each second
 *
 * One line a second, with the time of day and the number of processes that were forked in that second. With --by, also who has
 * made them, at the end.
 *
 * option by: at the end, how many each program has made
 * example: sonde pidpersec --by make
 *     how many processes a build needs
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %10s\n", "TIME", "PROCESSES");
}

proc:::create
{
	born++;
	@makers[execname] = count();
}

tick-1s
{
	printf("%-20Y %10d\n", walltimestamp, born);
	born = 0;
}

END
{
	printf("%-20Y %10d\n", walltimestamp, born);
}

END
/$by/
{
	printf("\n%-20s %10s\n", "PROGRAM", "PROCESSES");
	printa("%-20s %@10d\n", @makers);
}
