/* @rows: agg.keys */
/* eight keys */
BEGIN
{
	@[1, "two", 3, (char)4, "five", (short)6, 7, (int64_t)8] = count();
	@[1, "two", 3, (char)4, "five", (short)6, 7, (int64_t)9] = count();
	@[1, "two", 3, (char)4, "five", (short)6, 7, (int64_t)8] = count();
	printa("%d %s %d %d %s %d %d %d: %@d\n", @);
	exit(0);
}
