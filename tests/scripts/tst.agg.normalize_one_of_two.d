/* @rows: agg.normalize agg.join */
/* each of several has a factor of its own */
BEGIN
{
	@a["x"] = sum(1000); @b["x"] = sum(1000);
	normalize(@a, 10);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
