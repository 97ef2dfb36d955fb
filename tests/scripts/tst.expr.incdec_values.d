/* @rows: expr.incdec expr.evaluation_order */
/* The value before, or after. */
BEGIN
{
	x = 5;
	printf("%d %d ", x++, x);
	printf("%d %d ", ++x, x);
	printf("%d %d\n", x-- - --x, x);
	exit(0);
}
