#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mmapsnoop: shows which files programs map into their memory, and how
 *
 * One line for each mmap of a file: the process, the bytes, how it is mapped (r read, w write, x execute; s: shared, so that
 * writes reach the file; p: private), the error, and the file. With --memory also mappings without a file.
 *
 * option memory: also memory without a file
 * option name=NAME: only programs with this name
 * example: sonde mmapsnoop ls
 *     the libraries of ls
 */
#pragma D option quiet
#pragma D option switchrate=10hz

inline int PROT_READ = 1;
inline int PROT_WRITE = 2;
inline int PROT_EXEC = 4;
inline int MAP_SHARED = 1;
inline int MAP_ANONYMOUS = 0x20;

BEGIN
{
	printf("%-7s %-16s %12s %-4s %-8s %s\n", "PID", "PROGRAM", "BYTES", "HOW", "ERROR", "FILE");
}

syscall::mmap:entry
/($memory || (arg3 & MAP_ANONYMOUS) == 0) && ($$name == "" || execname == $$name)/
{
	self->size = arg1;
	self->how = strjoin(arg2 & PROT_READ ? "r" : "-", strjoin(arg2 & PROT_WRITE ? "w" : "-",
	    strjoin(arg2 & PROT_EXEC ? "x" : "-", arg3 & MAP_SHARED ? "s" : "p")));
	self->file = arg3 & MAP_ANONYMOUS ? "-" : fds[(int)arg4].fi_pathname;
}

syscall::mmap:return
/self->size/
{
	printf("%-7d %-16s %12d %-4s %-8s %s\n", pid, execname, self->size, self->how, errno ? errnoname : "-", self->file);
}

syscall::mmap:return
{
	self->size = 0;
	self->how = 0;
	self->file = 0;
}
