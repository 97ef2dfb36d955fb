#!/usr/sbin/dtrace -s
/* Every program that is started, with its arguments. */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%5s %6s %6s %s\n", "UID", "PID", "PPID", "ARGS");
}

proc:::exec-success
{
	printf("%5d %6d %6d %s\n", uid, pid, ppid, curpsinfo->pr_psargs);
}
