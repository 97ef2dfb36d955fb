/* @rows: agg.trunc_n agg.trunc_negative */
/* more than there are: all stay */
BEGIN
{
	@["a"] = sum(1); @["b"] = sum(2);
	trunc(@, 5);
	printa("%s %@d\n", @);
	trunc(@, -5);
	printa("%s %@d\n", @);
	exit(0);
}
