#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * biosnoop: shows each request to a disk: who, where, how much, how long
 *
 * A line for each request when the disk has done it: milliseconds since tracing began, the thread that gave it to the disk, the
 * disk or partition, R for a read, W for a write and - for another request such as a flush, the first sector, bytes, and
 * microseconds. For what programs write, the thread is often one of the kernel's, which writes later. With PROGRAM or -p there
 * are only requests that its own threads give.
 *
 * option disk=NAME: only this disk or partition, as vda1
 * option min=TIME: only requests that take at least this long
 * needs: root, and Linux 6.1
 * example: sonde biosnoop sync
 *     what sync writes
 */
#pragma D option quiet

BEGIN
{
	began = timestamp;
	printf("%12s %-7s %-16s %-10s %1s %12s %9s %9s %s\n", "TIME ms", "PID", "PROGRAM", "DISK", "D", "SECTOR", "BYTES", "TIME us",
	    "ERROR");
}

io:::start
/($target == 0 || progenyof($target)) && ($$disk == "" || args[1]->dev_statname == $$disk)/
{
	begun[arg0] = timestamp;
	process[arg0] = pid;
	program[arg0] = execname;
	bytes[arg0] = args[0]->b_bcount;
	sector[arg0] = args[0]->b_blkno;
}

/* A request that is done in parts ends with the last one. */
io:::done
/begun[arg0] && args[0]->b_resid == 0 && timestamp - begun[arg0] >= $min/
{
	printf("%8d.%03d %-7d %-16s %-10s %1s %12d %9d %9d %s\n", (timestamp - began) / 1000000, (timestamp - began) / 1000 % 1000,
	    process[arg0], program[arg0], args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "R" : args[0]->b_flags & B_WRITE ? "W" : "-", sector[arg0], bytes[arg0],
	    (timestamp - begun[arg0]) / 1000, args[0]->b_error != 0 ? "EIO" : "");
}

io:::done
/begun[arg0] && args[0]->b_resid == 0/
{
	begun[arg0] = 0;
	process[arg0] = 0;
	program[arg0] = 0;
	bytes[arg0] = 0;
	sector[arg0] = 0;
}
