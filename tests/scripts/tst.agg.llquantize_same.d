/* @rows: agg.llquantize */
/* one magnitude, low and high the same */
BEGIN
{
	@ = llquantize(150, 10, 2, 2, 10); @ = llquantize(950, 10, 2, 2, 10); @ = llquantize(1000, 10, 2, 2, 10);
	exit(0);
}
