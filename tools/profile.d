#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile: shows which code uses the processors, by samples of the stacks
 *
 * At the end, each stack that was found, innermost function first, under the name of its program, and how many samples were
 * there. The most frequent one comes last. A thread that has its CPU all the time has --rate samples in a second. With
 * --format=svg it is a flame graph; with --format=folded, lines for other tools.
 *
 * option rate=COUNT 97: samples in a second, of each CPU; with PROGRAM or -p, of each second of CPU time of each thread
 * option kernel: with the functions of the kernel on top; as root, without PROGRAM and -p
 * option name=NAME: only programs with this name
 * option top=COUNT: only so many stacks, the most frequent; 0 is all
 * example: sonde profile --format=svg -o flame.svg perl -e '$n += $_ for 1..3e7'
 *     a flame graph of perl; a browser shows it
 */
#pragma D option quiet

profile-$rate
/pid != 0 && ($$name == "" || execname == $$name)/
{
	if ($kernel)
		@with_kernel[execname, stack(), ustack()] = count();
	else
		@stacks[execname, ustack()] = count();
}

END
/$top > 0/
{
	trunc(@stacks, $top);
	trunc(@with_kernel, $top);
}

END
{
	printa("  %s%k%@20d\n\n", @stacks);
	printa("  %s%k%k%@20d\n\n", @with_kernel);
}
