/* @rows: fun.strjoin fun.strlen type.strsize */
/* @sonde: -q -x strsize=8 */
/* the result is cut at strsize */
BEGIN
{
	x = strjoin("12345", "6789abc");
	printf("[%s] %d\n", x, strlen(x));
	printf("%d\n", strlen("0123456789"));
	exit(0);
}
