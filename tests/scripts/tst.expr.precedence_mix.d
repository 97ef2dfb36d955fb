/* @rows: expr.precedence */
/* Which operator binds tighter. */
BEGIN
{
	printf("%d %d %d ", 1 + 2 * 3 % 4, 1 << 2 + 1, 7 & 3 == 3);
	printf("%d %d %d ", 1 | 2 ^ 3 & 1, 5 > 3 == 1, !0 + 1);
	printf("%d %d\n", -2 * -3, 10 - 4 - 3);
	exit(0);
}
