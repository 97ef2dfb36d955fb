/* @rows: expr.width */
/* @sonde: -q */
/* results are cut to the static type when they are printed */
BEGIN
{
	printf("%d\n", 0x7fffffff + 1);
	printf("%d\n", 1 << 33);
	printf("%s\n", lltostr(1 << 31));
	trace(0x7fffffff + 1);
	printf("\n%d\n", (int64_t)0x7fffffff + 1);
	x = 0x7fffffff;
	x++;
	printf("%d\n", x);
	exit(0);
}
