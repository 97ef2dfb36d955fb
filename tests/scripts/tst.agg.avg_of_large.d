/* @rows: agg.avg */
/* the sum behind a mean is one of 64 bits */
BEGIN
{
	@ = avg(4000000000000000000);
	@ = avg(2000000000000000000);
	printa("%@d\n", @);
	exit(0);
}
