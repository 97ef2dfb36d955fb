/* @rows: fmt.flag_minus fmt.flag_plus fmt.flag_space fmt.flag_zero fmt.width */
/* @sonde: -q */
/* width and flags */
BEGIN
{
	printf("[%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42);
	printf("[%8x] [%08x] [%-8x]\n", 0xbeef, 0xbeef, 0xbeef);
	printf("[%5s] [%-5s]\n", "ab", "ab");
	exit(0);
}
