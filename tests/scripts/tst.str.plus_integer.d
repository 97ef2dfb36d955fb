/* @rows: str.plus_integer */
/* A string and an integer: the string from that byte on, empty past its end. */

BEGIN
{
	g = "abcdef";
	trace(g + 2);
	trace(3 + g);
	trace(g + 6);
	trace(g + 60);
	printf("|%d\n", strlen(g + 4));
	exit(0);
}
