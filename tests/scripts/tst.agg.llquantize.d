/* @rows: agg.llquantize */
/* @sonde: -q */
/* powers of ten, each cut into five */
BEGIN
{
	@ = llquantize(3, 10, 0, 1, 5); @ = llquantize(15, 10, 0, 1, 5);
	@ = llquantize(19, 10, 0, 1, 5); @ = llquantize(250, 10, 0, 1, 5);
	exit(0);
}
