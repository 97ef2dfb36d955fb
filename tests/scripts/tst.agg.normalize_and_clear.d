/* @rows: agg.normalize agg.clear */
/* clear() leaves the factor */
BEGIN
{
	@ = sum(1000);
	normalize(@, 100);
	clear(@);
	@ = sum(500);
	printa("%@d\n", @);
	exit(0);
}
