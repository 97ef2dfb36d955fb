/* @rows: agg.max */
/* values are signed, whatever their type was */
BEGIN
{
	@ = max(18446744073709551615);
	@ = max(-7);
	printa("%@d\n", @);
	exit(0);
}
