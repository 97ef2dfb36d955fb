/* @rows: fmt.printa_several agg.join */
/* three aggregations of three functions */
BEGIN
{
	@n[1] = count(); @s[1] = sum(20); @m[1] = max(30);
	@n[2] = count(); @m[3] = max(-4);
	printa("%d: %@d %@d %@d\n", @n, @s, @m);
	exit(0);
}
