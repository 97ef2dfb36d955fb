/* @rows: agg.llquantize */
/* magnitudes that just fit into 64 bits */
BEGIN
{
	@ = llquantize(999999999999999999, 10, 16, 17, 10);
	@ = llquantize(1000000000000000000, 10, 16, 17, 10);
	@min = llquantize(0x8000000000000000, 10, 16, 17, 10);
	exit(0);
}
