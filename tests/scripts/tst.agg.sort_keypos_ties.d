/* @rows: agg.aggsortkeypos */
/* @sonde: -q -x aggsortkeypos=1 */
/* without aggsortkey it orders what has equal values */
BEGIN
{
	@["a", 2] = sum(5); @["b", 1] = sum(5); @["c", 9] = sum(1);
	printa("%s %d %@d\n", @);
	exit(0);
}
