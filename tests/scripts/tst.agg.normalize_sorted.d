/* @rows: agg.normalize agg.sort_value */
/* the order is that of the undivided values */
BEGIN
{
	@["b"] = sum(1001); @["a"] = sum(1002); @["c"] = sum(1000);
	normalize(@, 1000);
	printa("%s %@d\n", @);
	exit(0);
}
