#!/usr/sbin/dtrace -qs
/* Files that are created: openat() with O_CREAT, and creat(). */
inline int CREATES = 0100;

syscall::openat:entry
/arg2 & CREATES/
{
	printf("%s %s mode %o\n", execname, copyinstr(arg1), arg3 & 0777);
}

syscall::creat:entry
{
	printf("%s %s\n", execname, copyinstr(arg0));
}
