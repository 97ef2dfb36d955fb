/* @rows: agg.stddev */
/* the mean, the mean of the squares and the root are cut to integers */
BEGIN
{
	/* 1 and 4: mean 2, mean square 8, 8 - 4 = 4 */
	@a = stddev(1); @a = stddev(4);
	/* -3, 0, 3: mean 0, mean square 6 */
	@b = stddev(-3); @b = stddev(0); @b = stddev(3);
	/* 0 and 100: mean 50, mean square 5000 */
	@c = stddev(0); @c = stddev(100);
	printa("%@d\n", @a);
	printa("%@d\n", @b);
	printa("%@d\n", @c);
	exit(0);
}
