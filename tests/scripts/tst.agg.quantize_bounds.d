/* @rows: agg.quantize */
/* a power of two begins a bucket */
BEGIN
{
	@ = quantize(7); @ = quantize(8); @ = quantize(15); @ = quantize(16); @ = quantize(-8); @ = quantize(-7);
	exit(0);
}
