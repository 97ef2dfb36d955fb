/* @rows: agg.trunc_n */
/* of equal values the ones with the greater keys stay */
BEGIN
{
	@["a"] = sum(1); @["b"] = sum(1); @["c"] = sum(1); @["d"] = sum(1);
	trunc(@, 2);
	printa("%s %@d\n", @);
	exit(0);
}
