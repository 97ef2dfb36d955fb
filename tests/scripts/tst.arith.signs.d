/* @rows: expr.sign_rules expr.compare */
/* @sonde: -q */
/* comparison of signed and unsigned numbers */
BEGIN
{
	m = -1;
	printf("%d %d\n", m > 1UL, m < 1);
	printf("%d %d\n", (unsigned int)m > 1, (char)200 < 0);
	printf("%d %d\n", (uint8_t)200 < 0, 0xffffffff > 0);
	printf("%d %d\n", 2 < 10, -2 < -10);
	exit(0);
}
