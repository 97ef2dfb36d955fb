/* @rows: agg.aggsortrev */
/* @sonde: -q -x aggsortrev */
/* sorted the other way round */
BEGIN
{
	@["a"] = sum(1);
	@["b"] = sum(3);
	@["c"] = sum(2);
	printa("%s %@d\n", @);
	exit(0);
}
