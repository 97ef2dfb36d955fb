/* @rows: fmt.p fmt.question */
/* hexadecimal without 0x; ? is the width of a pointer */
BEGIN
{
	printf("[%p][%p][%20p][%-20p]\n", (void *)0x1234, 255, (void *)0xabc, (void *)0xabc);
	printf("[%?x][%?p][%-?d]\n", 0x12, (void *)0x34, 5);
	exit(0);
}
