/* @rows: agg.aggsortkey */
/* @sonde: -q -x aggsortkey */
/* sorted by keys; numbers as unsigned ones */
BEGIN
{
	@[7] = sum(1);
	@[-1] = sum(2);
	@[3] = sum(3);
	printa("%d %@d\n", @);
	exit(0);
}
