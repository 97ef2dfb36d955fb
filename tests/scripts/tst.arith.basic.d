/* @rows: expr.unary expr.multiply expr.divide expr.modulo expr.add */
/* @sonde: -q */
/* the five operations */
BEGIN
{
	x = 7;
	printf("%d %d %d %d %d\n", x + 3, x - 10, 6 * x, x / 2, x % 3);
	printf("%d %d\n", -x, +x);
	printf("%d\n", 2147483647 * 2 / 2);
	exit(0);
}
