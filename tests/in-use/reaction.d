#!/usr/sbin/dtrace -ws
/* Does something when a file is opened: tells it by a command. */
#pragma D option quiet
#pragma D option destructive
syscall::openat:entry
/execname == "deeds" && basename(copyinstr(arg1)) == $$1/
{
	system("echo opened: %s by %s", copyinstr(arg1), execname);
}
