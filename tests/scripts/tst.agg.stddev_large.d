/* @rows: agg.stddev */
/* squares are summed in 128 bits */
BEGIN
{
	@a = stddev(4000000000000000000); @a = stddev(-4000000000000000000);
	@b = stddev(3000000000); @b = stddev(5000000000); @b = stddev(3000000000); @b = stddev(5000000000);
	@c = stddev(0x8000000000000000);
	printa("%@d\n", @a);
	printa("%@d\n", @b);
	printa("%@d\n", @c);
	exit(0);
}
