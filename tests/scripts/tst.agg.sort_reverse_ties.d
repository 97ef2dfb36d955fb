/* @rows: agg.aggsortrev */
/* @sonde: -q -x aggsortrev */
/* ties are turned round too */
BEGIN
{
	@["b"] = sum(1); @["a"] = sum(1); @["c"] = sum(7);
	printa("%s %@d\n", @);
	exit(0);
}
