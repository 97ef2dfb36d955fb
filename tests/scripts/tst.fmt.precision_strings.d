/* @rows: fmt.precision fmt.s fmt.S */
/* it cuts a string */
BEGIN
{
	printf("[%.3s][%8.3s][%-8.3s][%.0s][%.9s]\n", "abcdef", "abcdef", "abcdef", "abcdef", "abc");
	printf("[%.2S]\n", "a\nb");
	exit(0);
}
