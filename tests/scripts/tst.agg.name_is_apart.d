/* @rows: lex.aggregation */
/* aggregations and variables have names of their own */
BEGIN
{
	x = 5;
	@x = sum(x);
	@count = count();
	printf("%d ", x);
	printa("%@d\n", @x);
	exit(0);
}
