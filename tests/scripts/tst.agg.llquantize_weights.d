/* @rows: agg.llquantize_increment */
/* increments */
BEGIN
{
	@ = llquantize(15, 10, 0, 1, 10, 7); @ = llquantize(25, 10, 0, 1, 10, 3); @ = llquantize(15, 10, 0, 1, 10, -2);
	exit(0);
}
