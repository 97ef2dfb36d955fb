/* @rows: agg.block_negative agg.quantize_increment */
/* counts of both signs: bars from the middle */
BEGIN
{
	@ = quantize(2, -10); @ = quantize(8, 20); @ = quantize(32, 10);
	exit(0);
}
