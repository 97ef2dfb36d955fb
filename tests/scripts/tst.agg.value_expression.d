/* @rows: agg.sum */
/* the value is any scalar expression */
int n;

BEGIN
{
	n = 6;
	@ = sum(n * 7 - (n > 3 ? 2 : 1));
	@c = sum('a');
	@s = sum(strlen("four"));
	printa("%@d\n", @);
	printa("%@d\n", @c);
	printa("%@d\n", @s);
	exit(0);
}
