/* @rows: agg.lquantize_rounded */
/* levels are whole: what lies between the last and the limit is above */
BEGIN
{
	@ = lquantize(8, 0, 10, 3); @ = lquantize(9, 0, 10, 3); @ = lquantize(10, 0, 10, 3);
	exit(0);
}
