/* @rows: agg.normalize */
/* each function's value is divided when it is shown */
BEGIN
{
	@sum = sum(1999); @avg = avg(1999); @min = min(-1999); @max = max(1999); @count = count();
	normalize(@sum, 1000); normalize(@avg, 1000); normalize(@min, 1000); normalize(@max, 1000); normalize(@count, 2);
	printa("%@d %@d %@d %@d %@d\n", @sum, @avg, @min, @max, @count);
	exit(0);
}
