/* @rows: agg.linear_order */
/* Of equal weighted sums the weight at 0 decides; the bucket below counts as base - 1, that above as limit + 1. */
BEGIN
{
	@below[7] = lquantize(0, 1, 9, 2, 6);
	@below[8] = lquantize(0, 1, 9, 2, -6);
	printa("%d ", @below);
	@above[1] = lquantize(9, 1, 5, 2, 5);
	@above[2] = lquantize(3, 1, 5, 2, 10);
	@above[3] = lquantize(1, 1, 5, 2, 29);
	printa("%d ", @above);
	trunc(@below);
	trunc(@above);
	exit(0);
}
