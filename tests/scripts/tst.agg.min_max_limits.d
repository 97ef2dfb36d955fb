/* @rows: agg.min agg.max */
/* the least and greatest numbers there are */
BEGIN
{
	@min = min(0x7fffffffffffffff); @max = max(0x7fffffffffffffff);
	printa("%@d ", @min); printa("%@d\n", @max);
	@min = min(0x8000000000000000); @max = max(0x8000000000000000);
	printa("%@d ", @min); printa("%@d\n", @max);
	exit(0);
}
