#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rwtop: shows which processes read and write most
 *
 * At the end, a row for each process: reads, bytes read, writes, and bytes written, by read and write calls on files, pipes,
 * terminals and sockets. The process with the most bytes read comes last. A receive or send of a socket is none.
 *
 * option name=NAME: only programs with this name
 * example: sonde rwtop tar cf /dev/null /etc
 *     what tar reads
 */
#pragma D option quiet

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::preadv2:return
/(int64_t)arg1 > 0 && ($$name == "" || execname == $$name)/
{
	@reads[pid, execname] = count();
	@read[pid, execname] = sum(arg1);
}

syscall::write:return,
syscall::pwrite64:return,
syscall::writev:return,
syscall::pwritev:return,
syscall::pwritev2:return
/(int64_t)arg1 > 0 && ($$name == "" || execname == $$name)/
{
	@writes[pid, execname] = count();
	@written[pid, execname] = sum(arg1);
}

END
{
	printf("%12s %8s %12s %8s  %-7s %s\n", "READ bytes", "READS", "WRITTEN", "WRITES", "PID", "PROGRAM");
	printa("%@12d %@8d %@12d %@8d  %-7d %s\n", @read, @reads, @written, @writes);
}
