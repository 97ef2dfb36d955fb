/* @rows: agg.lquantize */
/* @sonde: -q */
/* only the rows around what was seen */
BEGIN
{
	@ = lquantize(3, 0, 100, 2);
	@ = lquantize(6, 0, 100, 2);
	exit(0);
}
