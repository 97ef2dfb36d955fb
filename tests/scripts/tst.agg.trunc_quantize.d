/* @rows: agg.trunc_n agg.sort_quantize */
/* distributions are cut by their weighted totals */
BEGIN
{
	@["small"] = quantize(1, 3); @["big"] = quantize(64); @["middle"] = quantize(8, 2);
	trunc(@, 2);
	printa("%s ", @);
	printf("\n");
	exit(0);
}
