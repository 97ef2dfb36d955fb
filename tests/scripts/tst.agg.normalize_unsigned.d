/* @rows: agg.normalize */
/* the factor is unsigned: -1 is greater than all */
BEGIN
{
	@ = sum(1000);
	normalize(@, -1);
	printa("%@d\n", @);
	exit(0);
}
