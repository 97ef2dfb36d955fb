#!/usr/sbin/dtrace -Fs
/* What an open that fails does: all else is forgotten. */
#pragma D option nspec=4
syscall::openat:entry
/execname == "deeds"/
{
	self->spec = speculation();
	speculate(self->spec);
	printf("%s", stringof(copyinstr(arg1)));
}
syscall::openat:return
/self->spec && errno != 0/
{
	speculate(self->spec);
	trace(errno);
}
syscall::openat:return
/self->spec && errno != 0/
{
	commit(self->spec);
	self->spec = 0;
}
syscall::openat:return
/self->spec && errno == 0/
{
	discard(self->spec);
	self->spec = 0;
}
