/* @rows: agg.lquantize */
/* one level, and its two ends */
BEGIN
{
	@ = lquantize(0, 0, 1); @ = lquantize(1, 0, 1, 1); @ = lquantize(-1, 0, 1, 1);
	exit(0);
}
