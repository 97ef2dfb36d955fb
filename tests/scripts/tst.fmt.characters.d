/* @rows: fmt.c fmt.C fmt.lc */
/* %c the byte, %C as C would write it */
BEGIN
{
	printf("[%c][%5c][%-5c][%c]\n", 'x', 'y', 'z', 0x41);
	printf("[%C][%C][%C][%C]\n", 'x', '\n', '\t', 1);
	printf("[%lc][%wc]\n", 'p', 'q');
	exit(0);
}
