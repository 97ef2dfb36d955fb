/* @rows: agg.trunc_n */
/* how many stay may be computed */
int n;

BEGIN
{
	n = 1;
	@["a"] = sum(1); @["b"] = sum(2); @["c"] = sum(3);
	trunc(@, n + 1);
	printa("%s %@d\n", @);
	exit(0);
}
