/* @rows: agg.clear agg.min agg.max */
/* after clear() the least and the greatest begin anew */
BEGIN
{
	@min = min(-100); @max = max(100);
	clear(@min); clear(@max);
	@min = min(7); @max = max(-7);
	printa("%@d %@d\n", @min, @max);
	exit(0);
}
