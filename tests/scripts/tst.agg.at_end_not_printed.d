/* @rows: agg.at_end */
/* what printa() has printed is not printed again, what it has not is */
BEGIN
{
	@a = sum(1); @b = sum(2);
	printa("%@d\n", @a);
	exit(0);
}
