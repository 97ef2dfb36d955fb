/* @rows: agg.join */
/* of several aggregations the first decides */
BEGIN
{
	@a["x"] = sum(2); @a["y"] = sum(1); @a["z"] = sum(1);
	@b["x"] = sum(0); @b["y"] = sum(9); @b["z"] = sum(8);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
