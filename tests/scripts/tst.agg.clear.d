/* @rows: agg.clear act.clear agg.nameless */
/* @sonde: -q */
/* clear() keeps the keys */
BEGIN
{
	@["x"] = count();
	@["y"] = count();

	clear(@);
	@["y"] = count();
	printa("%s %@d\n", @);
	exit(0);
}
