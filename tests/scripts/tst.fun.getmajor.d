/* @rows: fun.getmajor fun.getminor */
/* 12 bits and 20 bits of a 32-bit dev_t */
BEGIN
{
	printf("%d %d\n", getmajor(0x23456789), getminor(0x23456789));
	printf("%d %d\n", getmajor(0x800001), getminor(0x800001));
	printf("%d %d\n", getmajor(0), getminor(0xfffff));
	exit(0);
}
