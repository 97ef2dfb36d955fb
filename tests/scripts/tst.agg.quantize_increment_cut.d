/* @rows: agg.quantize_increment */
/* the increment is a signed number of 64 bits */
BEGIN
{
	@ = quantize(1, 0x100000000);
	@ = quantize(1, -1);
	printa("%@d", @);
	exit(0);
}
