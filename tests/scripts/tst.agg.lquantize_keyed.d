/* @rows: agg.lquantize agg.key_string */
/* a block for each key */
BEGIN
{
	@["a", 0] = lquantize(5, 0, 20, 10); @["b", 1] = lquantize(15, 0, 20, 10);
	exit(0);
}
