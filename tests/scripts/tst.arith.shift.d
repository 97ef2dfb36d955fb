/* @rows: expr.shift expr.shift_range */
/* @sonde: -q */
/* shifts: arithmetic, logical, too far */
BEGIN
{
	n = 4;
	printf("%d %d %d\n", 1 << n, 256 >> n, -64 >> n);
	printf("%d\n", 0xfffffff8 >> 1);
	printf("%d\n", (uint64_t)-16 >> 60);
	printf("%d\n", (long)1 << 40);
	far = 64;
	back = -1;
	printf("%d %d\n", 1 << far, 1 << back);
	exit(0);
}
