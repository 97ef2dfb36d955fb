/* @rows: agg.min agg.max */
/* zero is a value like others */
BEGIN
{
	@min = min(0); @min = min(5);
	@max = max(0); @max = max(-5);
	printa("%@d\n", @min);
	printa("%@d\n", @max);
	exit(0);
}
