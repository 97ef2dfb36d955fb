/* @rows: agg.quantize agg.block */
/* zero alone */
BEGIN
{
	@ = quantize(0);
	exit(0);
}
