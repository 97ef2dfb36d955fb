/* @rows: expr.comma */
/* In a condition, an argument, an index. */
BEGIN
{
	x = (1, 2, 3);
	a[(0, 4)] = 5;
	printf("%d %d %d\n", x, a[4], (x++, x));
	exit(0);
}
