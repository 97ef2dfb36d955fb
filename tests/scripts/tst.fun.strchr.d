/* @rows: fun.strchr fun.strrchr */
/* @sonde: -q */
/* the rest of a string from a character on */
BEGIN
{
	s = "a/b/c";
	printf("%s %s\n", strchr(s, '/'), strrchr(s, '/'));
	printf("%d %d\n", strchr(s, 'x') == NULL, strrchr(s, 'x') == NULL);
	exit(0);
}
