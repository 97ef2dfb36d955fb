/* @rows: agg.aggsortkeypos fmt.printa_no_value */
/* @sonde: -q -x aggsortkey -x aggsortkeypos=1 */
/* sorted by the second key */
BEGIN
{
	@["a", 3] = sum(1);
	@["b", 1] = sum(2);
	@["c", 2] = sum(3);
	printa("%s %d\n", @);
	exit(0);
}
