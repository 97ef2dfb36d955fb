/* @rows: agg.normalize */
/* linear ones too; what is cut to 0 keeps its row */
BEGIN
{
	@ = lquantize(4, 0, 10, 2, 30); @ = lquantize(7, 0, 10, 2, 9);
	normalize(@, 10);
	printa("%@d", @);
	exit(0);
}
