/* @rows: agg.block_zero */
/* @sonde: -q */
/* a cleared histogram shows three rows */
BEGIN
{
	@ = quantize(100);
	clear(@);
	printa("%@d", @);
	exit(0);
}
