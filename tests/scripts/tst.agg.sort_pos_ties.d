/* @rows: agg.aggsortpos */
/* @sonde: -q -x aggsortpos=1 */
/* equal there: the others decide */
BEGIN
{
	@a["x"] = sum(3); @a["y"] = sum(2); @a["z"] = sum(1);
	@b["x"] = sum(5); @b["y"] = sum(5); @b["z"] = sum(4);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
