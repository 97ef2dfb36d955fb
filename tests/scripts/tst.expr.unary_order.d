/* @rows: expr.unary */
/* Unary operators apply from the inside. */
BEGIN
{
	x = 5;
	printf("%d %d %d %d\n", -~x, !-x, ~-x, - -x);
	exit(0);
}
