/* @rows: agg.join fmt.printa_several */
/* @sonde: -q */
/* several aggregations are joined by key; what is missing is 0 */
BEGIN
{
	@a["x"] = count();
	@a["y"] = count();
	@a["y"] = count();
	@b["y"] = sum(7);
	@b["z"] = sum(9);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
