/* @rows: fun.strjoin */
/* @sonde: -q */
/* two strings in one */
BEGIN
{
	printf("[%s] [%s] [%s]\n", strjoin("ab", "cd"), strjoin("", "x"), strjoin("x", ""));
	exit(0);
}
