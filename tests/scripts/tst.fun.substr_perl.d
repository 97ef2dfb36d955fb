/* @rows: fun.substr */
/* Perl's rules */
BEGIN
{
	printf("[%s][%s][%s]", substr("abcde", 1, 2), substr("abcde", -2), substr("abcde", -2, 1));
	printf("[%s][%s]", substr("abcde", -10, 7), substr("abcde", 1, -1));
	printf("[%s][%s]", substr("abcde", 7), substr("abcde", -10));
	printf("[%s][%s][%s]\n", substr("abcde", 0, 0), substr("abcde", 4, 10), substr("abcde", 2, -3));
	exit(0);
}
