/* Two numbers of each call in one table: how often, and how often in vain. */
#pragma D option quiet
syscall::stat:entry, syscall::newfstatat:entry, syscall::unlink:entry, syscall::getppid:entry
/pid == $target/
{
	@calls[probefunc] = count();
}
syscall::stat:return, syscall::newfstatat:return, syscall::unlink:return
/pid == $target && errno/
{
	@failed[probefunc] = count();
}
END
{
	printf("%-12s %6s %6s\n", "CALL", "CALLS", "FAILED");
	printa("%-12s %@6d %@6d\n", @calls, @failed);
}
