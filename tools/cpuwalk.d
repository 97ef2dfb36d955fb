#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpuwalk: shows which CPUs programs run on
 *
 * At the end, for each program, how many samples found it on which CPU. A program of one thread that has many CPUs wanders; one
 * of many threads that has few of them does not use the machine. A CPU that is busy all the time has --rate samples in a
 * second.
 *
 * option rate=COUNT 97: samples in a second, of each CPU; with PROGRAM or -p, of each second of CPU time of each thread
 * option name=NAME: only programs with this name
 * option top=COUNT 20: only so many programs, those with the most samples
 * example: sonde cpuwalk --duration=5s
 *     who has run where within five seconds
 */
#pragma D option quiet

profile-$rate
/pid != 0 && ($$name == "" || execname == $$name)/
{
	@cpus[execname, pid] = lquantize(cpu, 0, 256, 1);
}

END
{
	trunc(@cpus, $top);
	printa("%s %d, samples by CPU\n%@d\n", @cpus);
}
