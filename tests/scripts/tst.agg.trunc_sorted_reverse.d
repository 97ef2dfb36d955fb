/* @rows: agg.trunc_n agg.aggsortrev */
/* @sonde: -q -x aggsortrev */
/* trunc() keeps the greatest however the output is sorted */
BEGIN
{
	@["a"] = sum(1); @["b"] = sum(2); @["c"] = sum(3);
	trunc(@, 2);
	printa("%s %@d\n", @);
	exit(0);
}
