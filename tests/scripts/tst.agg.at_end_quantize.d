/* @rows: agg.at_end agg.block */
/* a keyed distribution at the end */
BEGIN
{
	@["reads"] = quantize(3);
	@["writes"] = quantize(300);
	exit(0);
}
