/* @rows: agg.llquantize */
/* above the highest */
BEGIN
{
	@ = llquantize(1000, 10, 0, 2, 10); @ = llquantize(5000000, 10, 0, 2, 10); @ = llquantize(-1000, 10, 0, 2, 10);
	exit(0);
}
