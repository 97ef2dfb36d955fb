/* @rows: agg.aggsortrev agg.aggsortkey */
/* @sonde: -q -x aggsortkey -x aggsortrev */
/* keys the other way round */
BEGIN
{
	@["b"] = sum(1); @["a"] = sum(2); @["c"] = sum(0);
	printa("%s %@d\n", @);
	exit(0);
}
