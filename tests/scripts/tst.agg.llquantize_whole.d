/* @rows: agg.llquantize */
/* each bucket of two magnitudes, its first value */
BEGIN
{
	@ = llquantize(0, 10, 0, 1, 10); @ = llquantize(1, 10, 0, 1, 10); @ = llquantize(2, 10, 0, 1, 10);
	@ = llquantize(9, 10, 0, 1, 10); @ = llquantize(10, 10, 0, 1, 10); @ = llquantize(20, 10, 0, 1, 10);
	@ = llquantize(29, 10, 0, 1, 10); @ = llquantize(99, 10, 0, 1, 10); @ = llquantize(100, 10, 0, 1, 10);
	exit(0);
}
