#!/usr/sbin/dtrace -s
/* Paths that are changed: made, renamed, removed. */
#pragma D option quiet
syscall::unlink:entry, syscall::rename:entry, syscall::mkdir:entry, syscall::chmod:entry
{
	self->path = arg0;
	self->other = probefunc == "rename" ? arg1 : 0;
}
syscall::unlink:return, syscall::rename:return, syscall::mkdir:return, syscall::chmod:return
/self->path/
{
	printf("%-8s %s", probefunc, basename(copyinstr(self->path)));
	printf("%s%s", self->other ? " -> " : "", self->other ? basename(copyinstr(self->other)) : "");
	printf("%s\n", errno == 0 ? "" : errno == ENOENT ? " (not there)" : " (failed)");
	self->path = 0;
	self->other = 0;
}
