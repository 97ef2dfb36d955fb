/* @rows: agg.clear */
/* each function is cleared to 0 */
BEGIN
{
	@count = count(); @sum = sum(5); @avg = avg(5); @min = min(5); @max = max(5);
	@dev = stddev(5); @dev = stddev(9);
	clear(@count); clear(@sum); clear(@avg); clear(@min); clear(@max); clear(@dev);
	printa("%@d %@d %@d %@d %@d %@d\n", @count, @sum, @avg, @min, @max, @dev);
	exit(0);
}
