#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * threadsnoop: shows each thread that is created by pthread_create(): who creates it, and which function it runs
 *
 * A line for each: milliseconds since tracing began, the process, the thread that creates it, the function it begins with, and
 * the error number of pthread_create(), 0 if it could. Go and programs that call clone() by themselves are not seen.
 *
 * option name=NAME: only programs with this name
 * example: sonde threadsnoop sh -c 'xz -T2 --block-size=100KiB -c /bin/bash >/dev/null'
 *     the threads of xz
 */
#pragma D option quiet

BEGIN
{
	began = timestamp;
	printf("%12s %-7s %-7s %-16s %5s %s\n", "TIME ms", "PID", "TID", "PROGRAM", "ERROR", "FUNCTION");
}

pid*:libc.so.6:pthread_create:entry
/$$name == "" || execname == $$name/
{
	self->depth = uregs[R_SP];
	self->function = arg2;
}

pid*:libc.so.6:pthread_create:return
/self->function && uregs[R_SP] == self->depth/
{
	printf("%8d.%03d %-7d %-7d %-16s %5d %A\n", (timestamp - began) / 1000000, (timestamp - began) / 1000 % 1000, pid, tid,
	    execname, (int)arg1, self->function);
	self->function = 0;
}
