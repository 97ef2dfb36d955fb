#!/usr/bin/env -S sonde -Fs
/*
 * The functions of a program as they call each other, from the first call of the one named to its return; with the system
 * calls that they make.
 *
 *   sonde -F -s function-flow.d -c ./program function
 */
self int follow;

pid$target:a.out:$1:entry
/!self->follow/
{
	self->follow = 1;
}

pid$target:a.out::entry,
pid$target:a.out::return
/self->follow/
{
}

syscall:::entry,
syscall:::return
/self->follow/
{
}

pid$target:a.out:$1:return
/self->follow/
{
	self->follow = 0;
}
