#!/usr/bin/env -S sonde -s
/*
 * Programs as they are started: when, who, by whom, with which arguments.
 *
 *   sonde -s execsnoop.d -c 'make -C somewhere'
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-20s %6s %7s %7s  %s\n", "TIME", "UID", "PID", "PPID", "ARGUMENTS");
}

proc:::exec-success
{
	printf("%-20Y %6d %7d %7d  %s\n", walltimestamp, uid, pid, ppid, curpsinfo->pr_psargs);
}
