/* @rows: agg.default_print agg.block */
/* printa() of a distribution without a format */
BEGIN
{
	@["k"] = quantize(3);
	printa(@);
	@u = quantize(5);
	printa(@u);
	exit(0);
}
