/* @rows: agg.sort_quantize */
/* linear ones by the values of their steps */
BEGIN
{
	@["a"] = lquantize(90, 0, 100, 10);
	@["b"] = lquantize(20, 0, 100, 10, 5);
	@["c"] = lquantize(-5, 0, 100, 10);
	@["d"] = lquantize(500, 0, 100, 10);
	printa("%s ", @);
	printf("\n");
	exit(0);
}
