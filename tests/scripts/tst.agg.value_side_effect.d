/* @rows: agg.sum */
/* keys and value are evaluated once, from left to right */
int n;

BEGIN
{
	@[n++, n++] = sum(n++);
	printa("%d %d %@d\n", @);
	printf("%d\n", n);
	exit(0);
}
