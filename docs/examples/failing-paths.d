#!/usr/bin/env -S sonde -s
/*
 * The paths of opens that fail, and only of those: what is known at entry is recorded in a speculation,
 * and the return decides whether it is shown.
 *
 *   sonde -s failing-paths.d -c 'cat /etc/hostname /nonexistent'
 */
#pragma D option quiet
#pragma D option nspec=64

syscall::open:entry,
syscall::openat:entry
{
	self->spec = speculation();
}

syscall::open:entry
/self->spec/
{
	speculate(self->spec);
	printf("%s(%d) open(\"%s\")", execname, pid, copyinstr(arg0));
}

syscall::openat:entry
/self->spec/
{
	speculate(self->spec);
	printf("%s(%d) openat(\"%s\")", execname, pid, copyinstr(arg1));
}

syscall::open:return,
syscall::openat:return
/self->spec && errno != 0/
{
	speculate(self->spec);
	printf(" failed: %s\n", errno == ENOENT ? "no such file" : errno == EACCES ? "not permitted" : lltostr(errno));
}

syscall::open:return,
syscall::openat:return
/self->spec && errno != 0/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::open:return,
syscall::openat:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}
