/* @rows: agg.trunc_n agg.trunc_negative */
/* values are signed */
BEGIN
{
	@a["a"] = sum(-10); @a["b"] = sum(0); @a["c"] = sum(10);
	@b["a"] = sum(-10); @b["b"] = sum(0); @b["c"] = sum(10);
	trunc(@a, 1);
	trunc(@b, -1);
	printa("%s %@d\n", @a);
	printa("%s %@d\n", @b);
	exit(0);
}
