/* @rows: expr.shift expr.shift_range expr.logical_xor */
/* what the compiler works out itself: order, signs, shifts by all bits and more, exclusive or */
BEGIN
{
	printf("%d %d %d %d\n", 7 - 3, 5 / -1, -5 / -1, 5 % -1);
	printf("%d %d\n", 1 << 64, (long)-1 >> 64);
	printf("%d %d %d\n", 1 ^^ 1, 1 ^^ 0, 0 ^^ 0);
	exit(0);
}
