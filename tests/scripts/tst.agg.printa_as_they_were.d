/* @rows: act.printa fmt.printa_keys */
/* printa() shows aggregations as they are when it is called, not when the clause has ended. */
BEGIN
{
	@a["x"] = sum(3);
	printa("%s %@d\n", @a);
	@a["x"] = sum(4);
	@a["y"] = sum(1);
	printa("%s %@d\n", @a);
	normalize(@a, 7);
	printa("%s %@d\n", @a);
	clear(@a);
	printa("%s %@d\n", @a);
	trunc(@a);
	printa("%s %@d\n", @a);
	exit(0);
}
