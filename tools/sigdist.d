#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sigdist: counts signals, by receiver and sender
 *
 * At the end, a row for each signal, the program that gets it, and the process that has sent it (0: the kernel, as for a fault or
 * the end of a child). A signal that its receiver ignores is there, too.
 *
 * option name=NAME: only receivers with this name
 * example: sonde sigdist sh -c 'true; kill -USR1 $$'
 *     SIGCHLD of the child, and the signal of its own
 */
#pragma D option quiet

signal:::deliver
/$$name == "" || execname == $$name/
{
	this->all = argstr;
	@signals[execname, strtok(this->all, " "), args[2]] = count();
}

/* It may fire in the sender. */
proc:::signal-discard
/$$name == "" || stringof(args[1]->pr_fname) == $$name/
{
	this->all = argstr;
	@signals[stringof(args[1]->pr_fname), strtok(this->all, " "), args[3]->si_pid] = count();
}

END
{
	printf("%-16s %-12s %8s %8s\n", "RECEIVER", "SIGNAL", "SENDER", "COUNT");
	printa("%-16s %-12s %8d %@8d\n", @signals);
}
