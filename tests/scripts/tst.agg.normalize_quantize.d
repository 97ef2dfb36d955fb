/* @rows: agg.normalize agg.block */
/* counts are divided, bars are not */
BEGIN
{
	@ = quantize(4, 3000); @ = quantize(16, 1000);
	normalize(@, 1000);
	printa("%@d", @);
	exit(0);
}
