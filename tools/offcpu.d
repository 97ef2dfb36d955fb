#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * offcpu: shows where programs wait, and how long, by stacks
 *
 * At the end, each stack that a thread waited at, innermost function first, under the name of its program, and how long all
 * waits there took together, in microseconds: from when the thread left its CPU because it had to wait until it ran again. A
 * thread that could run on and lost its CPU to another one does not wait; sonde runqlat shows that. A wait that has not ended
 * is not there. The longest time comes last. With --format=svg it is a flame graph, in nanoseconds.
 *
 * option kernel: with the functions of the kernel, which say what it waits for
 * option name=NAME: only programs with this name
 * option min=TIME: only waits that take at least this long
 * option top=COUNT: only so many stacks, those of the longest time; 0 is all
 * needs: root, and Linux 6.1; sonde --off-cpu PROGRAM needs neither: it shows the time in system calls by their stacks
 * example: sonde offcpu --kernel --top=3 sync
 *     what sync waits for
 */
#pragma D option quiet

sched:::sleep
/($$name == "" || execname == $$name) && ($target == 0 || progenyof($target))/
{
	self->left = timestamp;
}

sched:::on-cpu
/self->left && timestamp - self->left >= $min/
{
	if ($kernel)
		@with_kernel[execname, stack(), ustack()] = sum(timestamp - self->left);
	else
		@stacks[execname, ustack()] = sum(timestamp - self->left);
}

sched:::on-cpu
{
	self->left = 0;
}

END
/$top > 0/
{
	trunc(@stacks, $top);
	trunc(@with_kernel, $top);
}

END
{
	normalize(@stacks, 1000);
	normalize(@with_kernel, 1000);
	printa("  %s%k%@20d us\n\n", @stacks);
	printa("  %s%k%k%@20d us\n\n", @with_kernel);
}
