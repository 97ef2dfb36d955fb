/* @rows: agg.lquantize */
/* 65535 levels */
BEGIN
{
	@ = lquantize(65534, 0, 65535, 1); @ = lquantize(65535, 0, 65535, 1);
	exit(0);
}
