/* @rows: agg.lquantize agg.block */
/* only below, only above */
BEGIN
{
	@below = lquantize(-5, 0, 100, 10);
	@above = lquantize(500, 0, 100, 10);
	exit(0);
}
