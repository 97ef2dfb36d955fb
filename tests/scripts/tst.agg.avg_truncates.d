/* @rows: agg.avg */
/* the mean is cut toward zero */
BEGIN
{
	@["1 2"] = avg(1); @["1 2"] = avg(2);
	@["-1 -2"] = avg(-1); @["-1 -2"] = avg(-2);
	@["-1 0 0"] = avg(-1); @["-1 0 0"] = avg(0); @["-1 0 0"] = avg(0);
	@["7"] = avg(7);
	printa("%s: %@d\n", @);
	exit(0);
}
