/* @rows: fun.strstr */
/* @sonde: -q */
/* the rest of a string from another one on */
BEGIN
{
	s = "abcabd";
	printf("%s %s %s\n", strstr(s, "ca"), strstr(s, "abd"), strstr(s, ""));
	printf("%d\n", strstr(s, "x") == NULL);
	exit(0);
}
