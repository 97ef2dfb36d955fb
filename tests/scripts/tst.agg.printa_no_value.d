/* @rows: fmt.printa_no_value fmt.printa_keys */
/* a format of keys alone, and one of nothing, once for each tuple */
BEGIN
{
	@["a", 1] = sum(1); @["b", 2] = sum(2);
	printa("%s-", @);
	printa("x", @);
	printa("\n", @);
	exit(0);
}
