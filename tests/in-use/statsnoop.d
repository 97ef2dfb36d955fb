#!/usr/sbin/dtrace -Zs
/* Whose attributes are asked for; stat64 is another system's. */
#pragma D option quiet
syscall::stat:entry, syscall::stat64:entry, syscall::lstat:entry { self->p = arg0; }
syscall::newfstatat:entry { self->p = arg1; }
syscall::stat:return, syscall::stat64:return, syscall::lstat:return, syscall::newfstatat:return
/self->p/
{
	this->path = copyinstr(self->p);
	printf("%s|%d\n", this->path, errno);
	self->p = 0;
}
