#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statsnoop: shows whose attributes programs ask for, and which files are not there
 *
 * One line for each stat, lstat, newfstatat, statx, access and readlink of a path: the process, the call, the error, and the
 * path as the program names it.
 *
 * option failed: only calls that fail
 * option name=NAME: only programs with this name
 * example: sonde statsnoop --failed sh -c 'exec nothing'
 *     the folders of PATH in which sh looks
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-7s %-16s %-12s %-10s %s\n", "PID", "PROGRAM", "CALL", "ERROR", "PATH");
}

syscall::stat:entry,
syscall::lstat:entry,
syscall::access:entry,
syscall::readlink:entry
{
	self->path = arg0;
}

syscall::newfstatat:entry,
syscall::statx:entry,
syscall::faccessat:entry,
syscall::faccessat2:entry,
syscall::readlinkat:entry
{
	self->path = arg1;
}

syscall::stat:return,
syscall::lstat:return,
syscall::access:return,
syscall::readlink:return,
syscall::newfstatat:return,
syscall::statx:return,
syscall::faccessat:return,
syscall::faccessat2:return,
syscall::readlinkat:return
/self->path && ($failed == 0 || errno != 0) && ($$name == "" || execname == $$name)/
{
	this->path = copyinstr(self->path);
	this->shown = this->path == "" ? "(the descriptor itself)" : this->path;
	printf("%-7d %-16s %-12s %-10s %s\n", pid, execname, probefunc, errno ? errnoname : "-", this->shown);
}

syscall::stat:return,
syscall::lstat:return,
syscall::access:return,
syscall::readlink:return,
syscall::newfstatat:return,
syscall::statx:return,
syscall::faccessat:return,
syscall::faccessat2:return,
syscall::readlinkat:return
{
	self->path = 0;
}
