/* @rows: agg.normalize */
/* a second factor replaces the first */
BEGIN
{
	@ = sum(1000);
	normalize(@, 10); printa("%@d ", @);
	normalize(@, 100); printa("%@d ", @);
	normalize(@, 1); printa("%@d\n", @);
	exit(0);
}
