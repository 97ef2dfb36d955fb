/* @rows: agg.denormalize */
/* nothing to undo */
BEGIN
{
	@ = sum(10);
	denormalize(@);
	printa("%@d\n", @);
	normalize(@, 5);
	denormalize(@);
	denormalize(@);
	printa("%@d\n", @);
	exit(0);
}
