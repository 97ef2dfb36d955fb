/* @rows: agg.normalize */
/* what comes afterwards is divided too */
BEGIN
{
	@ = sum(500);
	normalize(@, 100);
	@ = sum(400);
	printa("%@d\n", @);
	exit(0);
}
