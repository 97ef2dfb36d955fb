#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exitsnoop: shows how each process ends, and how long it lived
 *
 * One line an end: the process, its parent, the user, the program's name, its age in milliseconds, and whether it exited, and
 * with which status, or which signal has killed it. A process that was there before sonde has no age.
 *
 * option failed: only ends with a status other than 0, or by a signal
 * option name=NAME: only programs with this name
 * example: sonde exitsnoop --failed make
 *     which of the programs that make starts fail
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-7s %-7s %-6s %-16s %10s  %s\n", "PID", "PPID", "UID", "PROGRAM", "AGE ms", "END");
}

proc:::start
{
	born[pid] = timestamp;
}

proc:::exit
/($failed == 0 || args[0] != CLD_EXITED || arg1 != 0) && ($$name == "" || execname == $$name)/
{
	printf("%-7d %-7d %-6d %-16s %10s  %s\n", pid, ppid, uid, execname,
	    born[pid] ? lltostr((timestamp - born[pid]) / 1000000) : "-", argstr);
}

proc:::exit
{
	born[pid] = 0;
}
