/* @rows: expr.logical */
/* What is not needed is not evaluated. */
BEGIN
{
	x = 0; y = 0;
	0 && (x = 1); 1 || (y = 1);
	1 && (x += 2); 0 || (y += 3);
	printf("%d %d %d\n", x, y, 1 ^^ (x = 9));
	exit(0);
}
