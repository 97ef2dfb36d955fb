/* @rows: agg.quantize */
/* the greatest and the least number */
BEGIN
{
	@h = quantize(0x7fffffffffffffff);
	@l = quantize(0x8000000000000000);
	@u = quantize(18446744073709551615);
	exit(0);
}
