/* @rows: agg.lquantize */
/* without a step it is 1 */
BEGIN
{
	@ = lquantize(2, 0, 5); @ = lquantize(4, 0, 5); @ = lquantize(5, 0, 5); @ = lquantize(-1, 0, 5);
	exit(0);
}
