/* @rows: expr.cast */
/* Casts cut, then extend. */
BEGIN
{
	x = 0x1234567890abcdef;
	printf("%x %x %d %d\n", (unsigned short)x, (int)x, (char)x, (int)(unsigned char)x);
	exit(0);
}
