/* Kills what opens a forbidden file, before it reads it. */
#pragma D option quiet
#pragma D option destructive
syscall::openat:entry
/copyinstr(arg1) == $$1/
{
	printf("%s: %s is forbidden\n", execname, basename(copyinstr(arg1)));
	raise(SIGKILL);
}
syscall::getppid:entry { @later = count(); }
END { printa("later: %@d\n", @later); }
