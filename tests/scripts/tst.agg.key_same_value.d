/* @rows: agg.key_integer */
/* a key is cut to its own type before it is compared; the aggregation has room for all types used */
BEGIN
{
	@[(char)1] = count();
	@[(char)257] = count();
	@[(char)2] = count();
	@[(short)258] = count();
	printa("%d %@d\n", @);
	exit(0);
}
