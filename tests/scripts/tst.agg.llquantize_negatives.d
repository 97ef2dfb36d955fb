/* @rows: agg.llquantize_negative */
/* negative values mirror */
BEGIN
{
	@ = llquantize(-1, 10, 0, 1, 5); @ = llquantize(-15, 10, 0, 1, 5); @ = llquantize(-99, 10, 0, 1, 5);
	@ = llquantize(-100, 10, 0, 1, 5); @ = llquantize(3, 10, 0, 1, 5);
	exit(0);
}
