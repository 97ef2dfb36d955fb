/* @rows: type.unsigned */
/* Unsigned types wrap. */
unsigned char c;
unsigned short s;
unsigned i;

BEGIN
{
	c = 255; c++; s = 0; s--; i = 0; i--;
	printf("%d %d %u\n", c, s, i);
	exit(0);
}
