/* @rows: agg.quantize agg.block */
/* @sonde: -q */
/* powers of two */
BEGIN
{
	@ = quantize(1); @ = quantize(2); @ = quantize(4); @ = quantize(5); @ = quantize(8);
	exit(0);
}
