/* @rows: fmt.flag_minus fmt.flag_plus fmt.flag_space fmt.flag_hash fmt.flag_zero fmt.flag_quote fmt.width */
/* flags, alone and together */
BEGIN
{
	printf("[%-6d][%+6d][% 6d][%06d][%-+6d][%+06d]\n", 42, 42, 42, 42, 42, 42);
	printf("[%+d][% d][%+d][% d]\n", 0, 0, -1, -1);
	printf("[%#x][%#X][%#o][%#x]\n", 255, 255, 8, 0);
	printf("[%#10x][%-#10x][%#010x]\n", 255, 255, 255);
	printf("[%'d][%'d][%'d]\n", 999, 1234567, -1234567);
	exit(0);
}
