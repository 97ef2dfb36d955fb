#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * syncsnoop: shows who makes the kernel write to the disk, and how long it waits
 *
 * One line for each sync, syncfs, fsync, fdatasync, msync and sync_file_range: the process, the call, the time from entry to
 * return in microseconds, the error, and the file.
 *
 * option min=TIME: only calls that take at least this long
 * option name=NAME: only programs with this name
 * example: sonde syncsnoop dd if=/dev/zero of=/tmp/zeros bs=64k count=1 conv=fsync
 *     the fsync of dd
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-7s %-16s %-16s %10s %-8s %s\n", "PID", "PROGRAM", "CALL", "TIME us", "ERROR", "FILE");
}

syscall::sync:entry,
syscall::msync:entry
/$$name == "" || execname == $$name/
{
	self->entered = timestamp;
	self->file = "-";
}

syscall::syncfs:entry,
syscall::fsync:entry,
syscall::fdatasync:entry,
syscall::sync_file_range:entry
/$$name == "" || execname == $$name/
{
	self->entered = timestamp;
	self->file = fds[(int)arg0].fi_pathname;
}

syscall::sync:return,
syscall::msync:return,
syscall::syncfs:return,
syscall::fsync:return,
syscall::fdatasync:return,
syscall::sync_file_range:return
/self->entered && timestamp - self->entered >= $min/
{
	printf("%-7d %-16s %-16s %10d %-8s %s\n", pid, execname, probefunc, (timestamp - self->entered) / 1000,
	    errno ? errnoname : "-", self->file);
}

syscall::sync:return,
syscall::msync:return,
syscall::syncfs:return,
syscall::fsync:return,
syscall::fdatasync:return,
syscall::sync_file_range:return
{
	self->entered = 0;
	self->file = 0;
}
