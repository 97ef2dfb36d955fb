#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * funccount: counts how often each function of a pattern is called
 *
 * At the end, a row for each function that was called: how often, in which library or program, and its name. The one that was
 * called most comes last. Without PROGRAM and -p, it counts functions of libraries and programs that some process runs already
 * when it starts.
 *
 * word PATTERN: the functions, as malloc or 'str*'
 * option module=NAME: only functions of this library or program, as libc.so.6; a.out is the program itself
 * option name=NAME: only calls of programs with this name
 * option top=COUNT 40: only so many functions, those that were called most
 * example: sonde funccount 'str*' --module=libc.so.6 ls /usr/bin
 *     which functions on strings ls uses, and how often
 */
#pragma D option quiet

pid*:$module:$1:entry
/$$name == "" || execname == $$name/
{
	@calls[probemod, probefunc] = count();
}

END
{
	trunc(@calls, $top);
	printf("%12s  %-20s %s\n", "CALLS", "MODULE", "FUNCTION");
	printa("%@12d  %-20s %s\n", @calls);
}
