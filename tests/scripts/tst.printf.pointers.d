/* @rows: fmt.p fmt.question */
/* @sonde: -q */
/* pointers, and ? as their width */
BEGIN
{
	printf("[%p] [%?x] [%-?d]\n", (void *)0x1234, 255, 7);
	printf("[%0?p]\n", 0xbeef);
	exit(0);
}
