/* @rows: agg.count agg.key_string */
/* count() counts for each key */
BEGIN
{
	@["a"] = count(); @["b"] = count(); @["a"] = count(); @["c"] = count(); @["a"] = count();
	printa("%s %@d\n", @);
	exit(0);
}
