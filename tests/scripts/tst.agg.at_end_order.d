/* @rows: agg.at_end */
/* at the end: in the order of definition, not of names or values */
BEGIN
{
	@z = sum(1);
	@a["k"] = sum(2);
	@m = sum(3);
	exit(0);
}
