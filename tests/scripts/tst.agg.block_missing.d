/* @rows: agg.join agg.block_zero */
/* where a tuple is missing the block is one of zeros */
BEGIN
{
	@n["a"] = count(); @q["b"] = quantize(4);
	printa("%s %@d%@d", @n, @q);
	exit(0);
}
