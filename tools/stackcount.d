#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stackcount: counts how often a probe fires, by the stacks that lead there
 *
 * At the end, each stack, innermost function first, under the name of its program, and how often the probe has fired there. The
 * most frequent one comes last. With --format=folded or --format=svg it is a flame graph.
 *
 * word DESCRIPTION: any probe, as syscall::openat:entry, 'pid*:libc.so.6:malloc:entry', io:::start or sched:::sleep; sonde -l
 *   lists them
 * option kernel: the kernel's stack, of a probe in the kernel; as root
 * option name=NAME: only of programs with this name
 * option top=COUNT: only so many stacks, the most frequent; 0 is all
 * example: sonde stackcount syscall::openat:entry ls /usr/bin
 *     which code of ls opens files
 */
#pragma D option quiet

/* Probes that fire for the whole machine, also with a target. */
inline int is_of_kernel = probeprov == "sched" || probeprov == "io" || probeprov == "fbt" || probeprov == "rawtp" ||
    probeprov == "ip" || probeprov == "tcp" || probeprov == "udp" || probeprov == "lockstat" ||
    probeprov == "sdt" || probeprov == "vminfo" || probeprov == "sysinfo";
inline int is_meant = ($$name == "" || execname == $$name) && ($target == 0 || !is_of_kernel || progenyof($target));

$1
/!$kernel && is_meant/
{
	@stacks[execname, ustack()] = count();
}

$1
/$kernel && is_meant/
{
	@in_kernel[execname, stack()] = count();
}

END
/$top > 0/
{
	trunc(@stacks, $top);
	trunc(@in_kernel, $top);
}

END
{
	printa("  %s%k%@20d\n\n", @stacks);
	printa("  %s%k%@20d\n\n", @in_kernel);
}
