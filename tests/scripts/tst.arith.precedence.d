/* @rows: expr.precedence */
/* @sonde: -q */
/* which operator binds first */
BEGIN
{
	a = 2;
	b = 3;
	printf("%d %d %d\n", a + b * 4, (a + b) * 4, 1 << a + 1);
	printf("%d %d\n", 5 & b == 3, 1 | a ^ b & 2);
	printf("%d %d %d\n", 10 - 4 - b, -a * b, !0 + 1);
	printf("%d %d\n", a < b == 1, 1 || 0 && 0);
	printf("%d\n", 100 / 5 / a);
	printf("%d\n", 1 || 0 ^^ 1);
	exit(0);
}
