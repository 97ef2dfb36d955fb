/* @rows: agg.under_range agg.llquantize */
/* below the lowest magnitude, on either side of zero */
BEGIN
{
	@ = llquantize(0, 10, 2, 3, 10); @ = llquantize(99, 10, 2, 3, 10); @ = llquantize(-99, 10, 2, 3, 10);
	@ = llquantize(100, 10, 2, 3, 10); @ = llquantize(-100, 10, 2, 3, 10);
	exit(0);
}
