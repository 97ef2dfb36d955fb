/* @rows: agg.clear agg.block_zero */
/* a cleared log-linear one shows the rows around zero */
BEGIN
{
	@ = llquantize(50, 10, 0, 2, 10);
	clear(@);
	printa("%@d", @);
	exit(0);
}
