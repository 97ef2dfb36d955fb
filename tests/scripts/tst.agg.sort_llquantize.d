/* @rows: agg.sort_quantize */
/* log-linear ones too */
BEGIN
{
	@["a"] = llquantize(90, 10, 0, 2, 10);
	@["b"] = llquantize(20, 10, 0, 2, 10, 5);
	@["c"] = llquantize(-500, 10, 0, 2, 10);
	printa("%s ", @);
	printf("\n");
	exit(0);
}
