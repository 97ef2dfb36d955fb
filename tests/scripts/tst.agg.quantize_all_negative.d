/* @rows: agg.block_negative agg.quantize_increment */
/* counts below zero: bars from the right */
BEGIN
{
	@ = quantize(4, -30); @ = quantize(16, -10);
	exit(0);
}
