/* @rows: agg.block */
/* counts wider than their column */
BEGIN
{
	@ = quantize(1, 12345678901); @ = quantize(2, 99999999999);
	exit(0);
}
