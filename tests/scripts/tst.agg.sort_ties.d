/* @rows: agg.sort_value */
/* equal values are sorted by their keys */
BEGIN
{
	@["b", 2] = sum(1); @["a", 2] = sum(1); @["b", 1] = sum(1); @["c", 0] = sum(0); @["a", 1] = sum(1);
	printa("%s %d %@d\n", @);
	exit(0);
}
