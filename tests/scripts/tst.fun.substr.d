/* @rows: fun.substr */
/* @sonde: -q */
/* parts of a string, by the rules of Perl */
BEGIN
{
	s = "abcde";
	printf("[%s] [%s] [%s]\n", substr(s, 1, 2), substr(s, -2), substr(s, -2, 1));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, -10, 7), substr(s, 1, -1), substr(s, 7), substr(s, -10));
	printf("[%s] [%s] [%s]\n", substr(s, 0), substr(s, 2), substr(s, 5));
	printf("[%s] [%s]\n", substr(s, 0, 0), substr(s, 3, 100));
	exit(0);
}
