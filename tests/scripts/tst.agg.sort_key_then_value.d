/* @rows: agg.aggsortkey */
/* @sonde: -q -x aggsortkey */
/* by key: the first differing key decides */
BEGIN
{
	@["b", 1] = sum(1); @["a", 9] = sum(5); @["a", 10] = sum(3); @["c", 0] = sum(0);
	printa("%s %d %@d\n", @);
	exit(0);
}
