/* @rows: agg.sort_signed */
/* @sonde: -q */
/* values are signed, also in the order */
BEGIN
{
	@["a"] = sum(-5);
	@["b"] = sum(3);
	@["c"] = sum(-9);

	printa("%s %@d\n", @);
	exit(0);
}
