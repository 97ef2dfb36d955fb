#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fileslower: shows reads and writes that take long
 *
 * One line for each that takes at least as long as --min: the process, the call, its bytes, the time from entry to return in
 * microseconds, and the file. What waits for another program, as a read of a pipe, a terminal or a socket, is there only with
 * --all.
 *
 * option min=TIME 10ms: only calls that take at least this long
 * option all: also what is no file
 * option name=NAME: only programs with this name
 * example: sonde fileslower --min=100us grep -r root /etc
 *     the files that grep waits for
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-7s %-16s %-10s %10s %10s  %s\n", "PID", "PROGRAM", "CALL", "BYTES", "TIME us", "FILE");
}

syscall::read:entry,
syscall::pread64:entry,
syscall::readv:entry,
syscall::preadv:entry,
syscall::preadv2:entry,
syscall::write:entry,
syscall::pwrite64:entry,
syscall::writev:entry,
syscall::pwritev:entry,
syscall::pwritev2:entry
/$$name == "" || execname == $$name/
{
	self->entered = timestamp;
	self->file = fds[(int)arg0].fi_pathname;
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::preadv2:return,
syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return,
syscall::pwritev:return,
syscall::pwritev2:return
/self->entered && timestamp - self->entered >= $min && ($all || substr(self->file, 0, 1) == "/")/
{
	printf("%-7d %-16s %-10s %10d %10d  %s\n", pid, execname, probefunc, (int64_t)arg1, (timestamp - self->entered) / 1000, self->file);
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::preadv2:return,
syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return,
syscall::pwritev:return,
syscall::pwritev2:return
{
	self->entered = 0;
	self->file = 0;
}
