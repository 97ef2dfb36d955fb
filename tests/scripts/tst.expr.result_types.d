/* @rows: expr.promotion */
/* Results have the type of their operands: char stays char. */
BEGIN
{
	a = (char)100; b = (char)100; u = (unsigned char)200;
	printf("%d %d %d ", a + b, a * b, u + u);
	printf("%d %d %d\n", sizeof (a + b), -u, ~u);
	exit(0);
}
