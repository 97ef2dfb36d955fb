/* @rows: agg.clear agg.avg agg.stddev */
/* a cleared mean forgets how many values there were */
BEGIN
{
	@ = avg(100); @ = avg(200);
	@d = stddev(100); @d = stddev(200);
	clear(@); clear(@d);
	@ = avg(7);
	@d = stddev(3); @d = stddev(5);
	printa("%@d\n", @);
	printa("%@d\n", @d);
	exit(0);
}
