/* @rows: expr.ternary */
/* ?: groups from the right; the arm in the middle may hold a comma. */
BEGIN
{
	x = 2;
	printf("%s ", x == 1 ? "one" : x == 2 ? "two" : "many");
	printf("%d\n", x ? (1, 2) : 3);
	exit(0);
}
