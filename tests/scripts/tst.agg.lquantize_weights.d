/* @rows: agg.lquantize_increment agg.block_negative */
/* increments, some of them negative */
BEGIN
{
	@ = lquantize(5, 0, 30, 10, 3); @ = lquantize(15, 0, 30, 10, -1); @ = lquantize(25, 0, 30, 10, 0);
	exit(0);
}
