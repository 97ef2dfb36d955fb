/* @rows: agg.block */
/* bars are rounded to the nearest column */
BEGIN
{
	@ = quantize(1, 1); @ = quantize(2, 79); @ = quantize(4, 3); @ = quantize(8, 1000);
	exit(0);
}
