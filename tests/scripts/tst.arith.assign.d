/* @rows: expr.assign_ops expr.assign_right */
/* @sonde: -q */
/* assignment operators */
BEGIN
{
	x = 10;
	x += 5; printf("%d ", x);
	x -= 3; printf("%d ", x);
	x *= 4; printf("%d ", x);
	x /= 5; printf("%d ", x);
	x %= 4; printf("%d ", x);
	x <<= 5; printf("%d ", x);
	x >>= 2; printf("%d ", x);
	x |= 3; printf("%d ", x);
	x &= 6; printf("%d ", x);
	x ^= 7; printf("%d\n", x);
	a = b = 4;
	printf("%d %d\n", a, b);
	exit(0);
}
