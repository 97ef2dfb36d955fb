#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * execsnoop: shows each program that is started, by whom, with its arguments
 *
 * One line a start: the process, its parent, the user, the program's name, and its arguments as they are in memory then.
 *
 * option failed: also programs that cannot be started, with the error
 * option name=NAME: only programs with this name
 * example: sonde execsnoop make -C /usr/src/something
 *     what make starts
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-7s %-7s %-6s %-16s %s\n", "PID", "PPID", "UID", "PROGRAM", "ARGUMENTS");
}

proc:::exec-success
/$$name == "" || execname == $$name/
{
	printf("%-7d %-7d %-6d %-16s %s\n", pid, ppid, uid, execname, curpsinfo->pr_psargs);
}

proc:::exec
{
	self->path = args[0];
}

proc:::exec-failure
/$failed && ($$name == "" || basename(self->path) == $$name)/
{
	printf("%-7d %-7d %-6d %-16s cannot start %s: %s\n", pid, ppid, uid, execname, self->path, errnoname);
}
