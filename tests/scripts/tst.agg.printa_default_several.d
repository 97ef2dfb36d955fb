/* @rows: agg.default_print agg.join */
/* several aggregations without a format */
BEGIN
{
	@n["a"] = count(); @n["b"] = count(); @n["b"] = count();
	@s["a"] = sum(-5); @s["c"] = sum(70);
	printa(@n, @s);
	exit(0);
}
