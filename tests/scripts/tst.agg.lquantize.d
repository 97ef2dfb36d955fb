/* @rows: agg.lquantize */
/* @sonde: -q */
/* steps of one width, and what lies outside */
BEGIN
{
	@ = lquantize(-1, 0, 10, 2); @ = lquantize(0, 0, 10, 2); @ = lquantize(3, 0, 10, 2);
	@ = lquantize(9, 0, 10, 2); @ = lquantize(10, 0, 10, 2); @ = lquantize(15, 0, 10, 2);
	exit(0);
}
