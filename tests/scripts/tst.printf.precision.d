/* @rows: fmt.precision fmt.s */
/* @sonde: -q */
/* precision */
BEGIN
{
	printf("[%.3d] [%8.3d] [%-8.3d]\n", 7, 7, 7);
	printf("[%.2s] [%6.2s] [%-6.2s] [%.0s]\n", "abcdef", "abcdef", "abcdef", "abcdef");
	exit(0);
}
