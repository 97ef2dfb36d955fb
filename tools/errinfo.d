#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * errinfo: counts the system calls that fail, by program, call and error
 *
 * At the end, a row for each program, call and error, with its count; the most frequent comes last.
 *
 * option each: also a line for each failure, as it happens, with the call's arguments
 * option name=NAME: only programs with this name
 * example: sonde errinfo git status
 *     what git tries in vain
 */
#pragma D option quiet

syscall:::return
/errno != 0 && $each && ($$name == "" || execname == $$name)/
{
	printf("%-7d %-16s %s(%s) = %s\n", pid, execname, probefunc, argstr, retstr);
}

syscall:::return
/errno != 0 && ($$name == "" || execname == $$name)/
{
	@failed[execname, probefunc, errnoname] = count();
}

END
{
	printf("%-16s %-20s %-16s %8s\n", "PROGRAM", "CALL", "ERROR", "COUNT");
	printa("%-16s %-20s %-16s %@8d\n", @failed);
}
