/* @rows: expr.assign_right expr.assign_ops */
/* Assignments group from the right, and have a value. */
BEGIN
{
	a = b = c = 4;
	a += b -= c *= 2;
	printf("%d %d %d\n", a, b, c);
	exit(0);
}
