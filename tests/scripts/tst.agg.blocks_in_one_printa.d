/* @rows: fmt.printa_quantize fmt.printa_several */
/* a number and two distributions in one format */
BEGIN
{
	@n["k"] = count(); @q["k"] = quantize(3); @l["k"] = lquantize(3, 0, 10, 5);
	printa("%s %@d:%@dand%@d", @n, @q, @l);
	exit(0);
}
