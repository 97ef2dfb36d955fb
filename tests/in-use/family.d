/* What the children of a command do: calls of processes that it has made, by name. */
#pragma D option quiet
syscall:::entry
/progenyof($target) && pid != $target/
{
	@[execname] = count();
	@calls[probefunc] = count();
}
END { trunc(@calls, 0); printa("%s\n", @); printa(@calls); }
