/* @rows: fmt.d fmt.u fmt.x fmt.X fmt.o fmt.i */
/* size and sign are the argument's */
BEGIN
{
	printf("%d %d %d\n", (char)-3, (unsigned char)253, 4294967295U);
	printf("%u %u %u\n", (char)-3, (short)-1, -1);
	printf("%x %x %x %X\n", (char)-3, (short)-1, -1, (long)-1);
	printf("%o %o\n", (char)-1, (short)8);
	printf("%i %i\n", (char)-3, 18446744073709551615ULL);
	exit(0);
}
