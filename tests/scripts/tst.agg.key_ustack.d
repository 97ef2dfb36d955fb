/* @rows: agg.key_stack */
/* @sonde: -q -c true */
/* equal stacks are one key */
syscall::exit_group:entry
{
	@[ustack(1)] = count();
}

syscall::exit_group:entry
{
	@[ustack(1)] = count();
	@n["a", ustack(2)] = count();
}

END
{
	printa("%@d\n", @);
	printa("%s %@d\n", @n);
}
