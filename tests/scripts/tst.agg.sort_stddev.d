/* @rows: agg.sort_value */
/* deviations sort by their values */
BEGIN
{
	@["wide"] = stddev(0); @["wide"] = stddev(100);
	@["none"] = stddev(900);
	@["small"] = stddev(10); @["small"] = stddev(14);
	printa("%s %@d\n", @);
	exit(0);
}
