/* @rows: agg.sort_value */
/* means sort by what is shown, not by their sums */
BEGIN
{
	@["many"] = avg(1); @["many"] = avg(3); @["many"] = avg(5); @["many"] = avg(7);
	@["one"] = avg(5);
	@["less"] = avg(3);
	printa("%s %@d\n", @);
	exit(0);
}
