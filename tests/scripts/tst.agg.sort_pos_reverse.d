/* @rows: agg.aggsortpos agg.aggsortrev */
/* @sonde: -q -x aggsortpos=1 -x aggsortrev */
/* by the second, the greatest first */
BEGIN
{
	@a["x"] = sum(1); @a["y"] = sum(2); @a["z"] = sum(3);
	@b["x"] = sum(9); @b["y"] = sum(7); @b["z"] = sum(8);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
