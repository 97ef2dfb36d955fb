/* @rows: agg.lquantize */
/* the ends of 32 bits */
BEGIN
{
	@ = lquantize(2147483646, 2147483640, 2147483647, 2);
	@low = lquantize(-2147483648, -2147483648, -2147483640, 4);
	@big = lquantize(0x7fffffffffffffff, 0, 10, 5);
	exit(0);
}
