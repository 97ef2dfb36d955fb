#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * filetop: shows which files are read and written most
 *
 * At the end, a row for each file of each program: reads, bytes read, writes, and bytes written. What has no path, as a socket or
 * a pipe, has its description. The file with the most bytes read comes last.
 *
 * option name=NAME: only programs with this name
 * option files: only paths, no sockets, pipes and the like
 * example: sonde filetop sort /etc/services
 *     the file that sort reads
 */
#pragma D option quiet

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
	self->file = fds[(int)arg0].fi_pathname;
	self->on = 1;
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::preadv2:return
/self->on && (int64_t)arg1 > 0 && ($files == 0 || substr(self->file, 0, 1) == "/")/
{
	@reads[execname, self->file] = count();
	@read[execname, self->file] = sum(arg1);
}

syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return,
syscall::pwritev:return,
syscall::pwritev2:return
/self->on && (int64_t)arg1 > 0 && ($files == 0 || substr(self->file, 0, 1) == "/")/
{
	@writes[execname, self->file] = count();
	@written[execname, self->file] = sum(arg1);
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
	self->on = 0;
	self->file = 0;
}

END
{
	printf("%12s %8s %12s %8s  %-16s %s\n", "READ bytes", "READS", "WRITTEN", "WRITES", "PROGRAM", "FILE");
	printa("%@12d %@8d %@12d %@8d  %-16s %s\n", @read, @reads, @written, @writes);
}
