/* @rows: agg.aggsortkeypos */
/* @sonde: -q -x aggsortkey -x aggsortkeypos=2 */
/* equal keys there: the others decide, in order */
BEGIN
{
	@["b", 1, 7] = sum(1); @["a", 3, 7] = sum(2); @["a", 2, 7] = sum(2); @["c", 2, 5] = sum(3);
	printa("%s %d %d\n", @);
	exit(0);
}
