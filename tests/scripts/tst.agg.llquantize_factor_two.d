/* @rows: agg.llquantize */
/* powers of two, each one bucket or two */
BEGIN
{
	@one = llquantize(5, 2, 0, 4, 1); @one = llquantize(31, 2, 0, 4, 1);
	@two = llquantize(5, 2, 1, 4, 2); @two = llquantize(6, 2, 1, 4, 2); @two = llquantize(31, 2, 1, 4, 2);
	exit(0);
}
