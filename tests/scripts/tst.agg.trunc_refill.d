/* @rows: agg.trunc_n */
/* what was removed begins anew */
BEGIN
{
	@["a"] = sum(10); @["b"] = sum(20);
	trunc(@, 1);
	@["a"] = sum(1); @["b"] = sum(1);
	printa("%s %@d\n", @);
	exit(0);
}
