/* @rows: agg.aggsortkeypos agg.aggsortkey */
/* @sonde: -q -x aggsortkey -x aggsortkeypos=1 */
/* the second key sorts first */
BEGIN
{
	@["a", 3] = sum(1); @["b", 1] = sum(9); @["c", 2] = sum(5);
	printa("%s %d %@d\n", @);
	exit(0);
}
