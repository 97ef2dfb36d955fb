/* @rows: expr.sizeof */
/* The size of an expression's type, with or without parentheses. */
BEGIN
{
	x = (short)1;
	printf("%d %d %d %d %d\n", sizeof x, sizeof (x + 1), sizeof (x = 5), sizeof 1L, x);
	exit(0);
}
