#!/usr/sbin/dtrace -s
/* Which process opens which file, and what it gets. */
#pragma D option quiet
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%5s %-12s %4s %3s %s\n", "UID", "COMM", "FD", "ERR", "PATH");
}

syscall::open:entry   { self->pathp = arg0; }
syscall::openat:entry { self->pathp = arg1; }

syscall::open:return, syscall::openat:return
/self->pathp/
{
	this->ok = (int)arg0 >= 0;
	printf("%5d %-12.12s %4d %3d %s\n", uid, execname, (int)arg0, this->ok ? 0 : errno, copyinstr(self->pathp));
	self->pathp = 0;
}
