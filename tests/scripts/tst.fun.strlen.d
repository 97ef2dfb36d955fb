/* @rows: fun.strlen */
/* @sonde: -q */
/* length of strings */
BEGIN
{
	s = "hello";
	printf("%d %d %d\n", strlen(s), strlen(""), strlen(strjoin(s, s)));
	exit(0);
}
