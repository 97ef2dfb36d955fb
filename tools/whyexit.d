#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whyexit: shows the last calls and the stack of a program that fails
 *
 * When a process exits with a status other than 0, or a signal kills it: how it ended, the user stack at that moment, and the last
 * system calls of its last thread, with arguments and results. The last but one often has the reason.
 *
 * option last=COUNT 8: how many calls, at most 16
 * option name=NAME: only programs with this name
 * example: sonde whyexit cat /nowhere
 *     the open that fails, and the write of the message
 */
#pragma D option quiet
#pragma D option strsize=512

BEGIN
/$last < 1 || $last > 16/
{
	printf("--last is a number from 1 to 16\n");
	exit(1);
}

syscall:::return
/$$name == "" || execname == $$name/
{
	self->calls[self->made % $last] = strjoin("    ", strjoin(probefunc, strjoin("(", strjoin(argstr, strjoin(") = ",
	    strjoin(retstr, "\n"))))));
	self->made++;
}

proc:::exit
/(args[0] != CLD_EXITED || arg1 != 0) && ($$name == "" || execname == $$name)/
{
	printf("\n%s, process %d, %s\n", execname, pid, argstr);
	printf("%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s",
	    $last > 0 ? self->calls[(self->made + 0) % $last] : "", $last > 1 ? self->calls[(self->made + 1) % $last] : "",
	    $last > 2 ? self->calls[(self->made + 2) % $last] : "", $last > 3 ? self->calls[(self->made + 3) % $last] : "",
	    $last > 4 ? self->calls[(self->made + 4) % $last] : "", $last > 5 ? self->calls[(self->made + 5) % $last] : "",
	    $last > 6 ? self->calls[(self->made + 6) % $last] : "", $last > 7 ? self->calls[(self->made + 7) % $last] : "",
	    $last > 8 ? self->calls[(self->made + 8) % $last] : "", $last > 9 ? self->calls[(self->made + 9) % $last] : "",
	    $last > 10 ? self->calls[(self->made + 10) % $last] : "", $last > 11 ? self->calls[(self->made + 11) % $last] : "",
	    $last > 12 ? self->calls[(self->made + 12) % $last] : "", $last > 13 ? self->calls[(self->made + 13) % $last] : "",
	    $last > 14 ? self->calls[(self->made + 14) % $last] : "", $last > 15 ? self->calls[(self->made + 15) % $last] : "");
	ustack();
}
