/* @rows: agg.normalize_zero */
/* a factor of 0 is ignored */
BEGIN
{
	@ = sum(1000);
	normalize(@, 0);
	printa("%@d\n", @);
	normalize(@, 10);
	normalize(@, 0);
	printa("%@d\n", @);
	exit(0);
}
