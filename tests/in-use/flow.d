#!/usr/sbin/dtrace -Fs
/* The flow of a program's functions, from one of them on. */
pid$target:a.out:$$1:entry
{
	self->trace = 1;
}
pid$target:a.out::entry, pid$target:a.out::return
/self->trace/
{
}
pid$target:a.out:$$1:return
{
	self->trace = 0;
}
