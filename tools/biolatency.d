#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * biolatency: shows how long requests to disks take, as a distribution
 *
 * At the end, for each disk or partition and each direction, how many requests took how many microseconds, from when they were
 * given to the disk until it had done them. With PROGRAM or -p there are only requests that its own threads give; what
 * programs write, a thread of the kernel often gives later.
 *
 * option disk=NAME: only this disk or partition, as vda1
 * needs: root, and Linux 6.1
 * example: sonde biolatency --duration=10s
 *     all requests of the machine within ten seconds
 */
#pragma D option quiet

io:::start
/($target == 0 || progenyof($target)) && ($$disk == "" || args[1]->dev_statname == $$disk)/
{
	begun[arg0] = timestamp;
}

/* A request that is done in parts ends with the last one. */
io:::done
/begun[arg0] && args[0]->b_resid == 0/
{
	@us[args[1]->dev_statname, args[0]->b_flags & B_READ ? "reads" : args[0]->b_flags & B_WRITE ? "writes" : "other requests"] =
	    quantize((timestamp - begun[arg0]) / 1000);
	begun[arg0] = 0;
}

END
{
	printa("%s, %s, in us\n%@d\n", @us);
}
