/* @rows: agg.quantize_increment */
/* @sonde: -q */
/* quantize() with an increment */
BEGIN
{
	@ = quantize(5, 10);
	@ = quantize(16, 30);
	exit(0);
}
