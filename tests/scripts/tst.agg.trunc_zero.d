/* @rows: agg.trunc_n */
/* trunc(@a, 0) removes all, as trunc(@a) does */
BEGIN
{
	@a["a"] = sum(1); @b["a"] = sum(1);
	trunc(@a, 0);
	trunc(@b);
	printa("a %s %@d\n", @a);
	printa("b %s %@d\n", @b);
	@a["c"] = sum(7);
	printa("a %s %@d\n", @a);
	exit(0);
}
