/* @rows: agg.trunc_all agg.trunc_n */
/* an aggregation without keys has one element */
BEGIN
{
	@ = sum(5);
	trunc(@, 1);
	printa("%@d\n", @);
	trunc(@);
	printa("%@d\n", @);
	@ = sum(3);
	printa("%@d\n", @);
	exit(0);
}
