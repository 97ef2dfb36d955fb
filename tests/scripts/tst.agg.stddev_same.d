/* @rows: agg.stddev */
/* what does not vary deviates by nothing */
BEGIN
{
	@["one"] = stddev(1000);
	@["three"] = stddev(-9); @["three"] = stddev(-9); @["three"] = stddev(-9);
	printa("%s %@d\n", @);
	exit(0);
}
