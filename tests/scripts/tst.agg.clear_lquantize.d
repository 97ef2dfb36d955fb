/* @rows: agg.clear agg.block_zero */
/* a cleared linear distribution shows its first three rows */
BEGIN
{
	@ = lquantize(50, 10, 100, 10);
	clear(@);
	printa("%@d", @);
	exit(0);
}
