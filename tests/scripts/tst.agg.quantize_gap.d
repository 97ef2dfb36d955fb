/* @rows: agg.quantize agg.block */
/* rows between two buckets are shown */
BEGIN
{
	@ = quantize(2); @ = quantize(100);
	exit(0);
}
