/* @rows: agg.clear */
/* clear() takes one aggregation, not its keys in others */
BEGIN
{
	@a["x"] = sum(1); @b["x"] = sum(2);
	clear(@a);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
