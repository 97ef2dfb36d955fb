#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opensnoop: shows each file that a program opens, and why an open fails
 *
 * One line an open: the process, its user, the descriptor or the error, and the path as the program names it.
 *
 * option failed: only opens that fail
 * option name=NAME: only of programs with this name
 * example: sonde opensnoop --failed cat /nowhere
 *     the files that cat looks for and does not find: its locale, and /nowhere
 */
#pragma D option quiet

BEGIN
{
	printf("%-7s %-6s %-16s %4s %-12s %s\n", "PID", "UID", "PROGRAM", "FD", "ERROR", "PATH");
}

syscall::open:entry,
syscall::creat:entry
{
	self->path = arg0;
}

syscall::openat:entry,
syscall::openat2:entry
{
	self->path = arg1;
}

syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
/self->path && ($failed == 0 || errno != 0) && ($$name == "" || execname == $$name)/
{
	printf("%-7d %-6d %-16s %4d %-12s %s\n", pid, uid, execname, errno ? -1 : (int)arg1,
	    errno ? errnoname : "-", copyinstr(self->path));
}

syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
{
	self->path = 0;
}
