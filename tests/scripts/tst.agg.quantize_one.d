/* @rows: agg.quantize agg.block */
/* one value */
BEGIN
{
	@ = quantize(1);
	exit(0);
}
