/* @rows: agg.sort_value */
/* strings are sorted by their bytes, the empty one first */
BEGIN
{
	@["b"] = sum(1); @["B"] = sum(1); @[""] = sum(1); @["aa"] = sum(1); @["a"] = sum(1); @["\377"] = sum(1);
	printa("[%S] %@d\n", @);
	exit(0);
}
