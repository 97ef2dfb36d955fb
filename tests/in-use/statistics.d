/* Everything about the sizes of writes. */
#pragma D option quiet
syscall::write:entry
/pid == $target/
{
	@n = count();
	@least = min(arg2);
	@most = max(arg2);
	@mean = avg(arg2);
	@spread = stddev(arg2);
	@all = sum(arg2);
}
END
{
	printa("%@d %@d %@d %@d %@d %@d\n", @n, @least, @most, @mean, @spread, @all);
}
