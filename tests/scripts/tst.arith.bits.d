/* @rows: expr.bits */
/* @sonde: -q */
/* and, or, xor, not */
BEGIN
{
	x = 0xf0;
	printf("%d %d %d %d\n", x & 0x3c, x | 0x3c, x ^ 0x3c, ~5);
	printf("%x\n", ~0 & 0xff);
	exit(0);
}
