/* @rows: agg.sort_quantize */
/* distributions sort by their weighted totals */
BEGIN
{
	@["two of 8"] = quantize(8); @["two of 8"] = quantize(8);
	@["one of 32"] = quantize(32);
	@["nine of 1"] = quantize(1, 9);
	@["below"] = quantize(-2);
	printa("%s%@d", @);
	exit(0);
}
