#pragma D option quiet
syscall::write:entry
/pid == $target/
{
	@sizes[execname] = lquantize(arg2, 0, 1000, 100);
}
END
{
	printa("  PROCESS %s:\n%@d\n", @sizes);
}
