/* @rows: agg.aggsortkeypos */
/* @sonde: -q -x aggsortkey -x aggsortkeypos=0 */
/* position 0 is the first key */
BEGIN
{
	@["b", 1] = sum(1); @["a", 3] = sum(2); @["c", 2] = sum(3);
	printa("%s %d\n", @);
	exit(0);
}
