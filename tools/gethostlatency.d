#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gethostlatency: shows each look-up of a host's name, and how long it took
 *
 * A line for each call of getaddrinfo() and gethostbyname() and their like, when it ends: the process, how long it took in
 * milliseconds, what it gave, and the name. Of getaddrinfo() the result is 0, or a number such as -2 (the name is not known) or
 * -3 (try again); of gethostbyname() found or failed. Programs that ask a name server by themselves are not seen.
 *
 * option min=TIME: only look-ups that take at least this long
 * option name=NAME: only programs with this name
 * example: sonde gethostlatency getent ahosts localhost
 *     how long the name localhost took
 */
#pragma D option quiet

BEGIN
{
	printf("%-7s %-16s %12s %-8s %s\n", "PID", "PROGRAM", "TIME ms", "RESULT", "HOST");
}

/* The functions call each other. Who has left one by longjmp() calls the next one from the same depth, or above. */
pid*:libc.so.6:getaddrinfo:entry,
pid*:libc.so.6:gethostbyname:entry,
pid*:libc.so.6:gethostbyname2:entry,
pid*:libc.so.6:gethostbyname_r:entry,
pid*:libc.so.6:gethostbyname2_r:entry
/(!self->began || uregs[R_SP] >= self->depth) && ($$name == "" || execname == $$name)/
{
	self->began = timestamp;
	self->depth = uregs[R_SP];
	self->host = arg0;
}

pid*:libc.so.6:gethostbyname_r:entry
/uregs[R_SP] == self->depth/
{
	self->result = arg4;
}

pid*:libc.so.6:gethostbyname2_r:entry
/uregs[R_SP] == self->depth/
{
	self->result = arg5;
}

pid*:libc.so.6:getaddrinfo:return
/self->began && uregs[R_SP] == self->depth && timestamp - self->began >= $min/
{
	printf("%-7d %-16s %8d.%03d %-8d %s\n", pid, execname, (timestamp - self->began) / 1000000,
	    (timestamp - self->began) / 1000 % 1000, (int)arg1, self->host == 0 ? "(none)" : copyinstr(self->host));
}

pid*:libc.so.6:gethostbyname:return,
pid*:libc.so.6:gethostbyname2:return
/self->began && uregs[R_SP] == self->depth && timestamp - self->began >= $min/
{
	printf("%-7d %-16s %8d.%03d %-8s %s\n", pid, execname, (timestamp - self->began) / 1000000,
	    (timestamp - self->began) / 1000 % 1000, arg1 != 0 ? "found" : "failed", copyinstr(self->host));
}

pid*:libc.so.6:gethostbyname_r:return,
pid*:libc.so.6:gethostbyname2_r:return
/self->began && uregs[R_SP] == self->depth && timestamp - self->began >= $min/
{
	printf("%-7d %-16s %8d.%03d %-8s %s\n", pid, execname, (timestamp - self->began) / 1000000,
	    (timestamp - self->began) / 1000 % 1000, *(uint64_t *)copyin(self->result, 8) != 0 ? "found" : "failed",
	    copyinstr(self->host));
}

pid*:libc.so.6:getaddrinfo:return,
pid*:libc.so.6:gethostbyname:return,
pid*:libc.so.6:gethostbyname2:return,
pid*:libc.so.6:gethostbyname_r:return,
pid*:libc.so.6:gethostbyname2_r:return
/uregs[R_SP] == self->depth/
{
	self->began = 0;
}
