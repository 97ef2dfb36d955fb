/* @rows: expr.divide expr.modulo */
/* @sonde: -q */
/* division and remainder truncate toward zero */
BEGIN
{
	a = 7;
	b = -2;
	c = -7;
	printf("%d %d %d %d\n", 7 / -2, -7 / 2, -7 % 3, 7 % -3);
	printf("%d %d %d %d\n", a / b, c / 2, c % 3, a % -3);
	printf("%d\n", (unsigned int)4294967295 / 2);
	printf("%d\n", (uint64_t)-1 / 2 == 9223372036854775807);
	exit(0);
}
