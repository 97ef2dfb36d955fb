/* @rows: agg.lquantize */
/* a range around zero */
BEGIN
{
	@ = lquantize(-11, -10, 10, 5); @ = lquantize(-10, -10, 10, 5); @ = lquantize(-1, -10, 10, 5);
	@ = lquantize(0, -10, 10, 5); @ = lquantize(9, -10, 10, 5); @ = lquantize(10, -10, 10, 5);
	exit(0);
}
