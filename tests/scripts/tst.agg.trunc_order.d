/* @rows: agg.trunc_n */
/* trunc() stands in the order of the clause */
BEGIN
{
	@["a"] = sum(1); @["b"] = sum(2); @["c"] = sum(3);
	printa("%s", @); printf("\n");
	trunc(@, 2);
	printa("%s", @); printf("\n");
	trunc(@, -1);
	printa("%s", @); printf("\n");
	exit(0);
}
