/* @rows: agg.sort_quantize */
/* equal totals sort by their zero buckets */
BEGIN
{
	@["b"] = quantize(0); @["b"] = quantize(0); @["b"] = quantize(4);
	@["a"] = quantize(0); @["a"] = quantize(0); @["a"] = quantize(0); @["a"] = quantize(4);
	@["c"] = quantize(4);
	printa("%s", @);
	printf("\n");
	exit(0);
}
