/* @rows: fun.index */
/* @sonde: -q */
/* where a string first occurs in another */
BEGIN
{
	s = "abcabc";
	printf("%d %d %d %d\n", index(s, "b"), index(s, "x"), index(s, "ca"), index(s, "abcabcd"));
	printf("%d %d %d %d\n", index(s, "b", 2), index(s, "b", -5), index(s, "b", 5), index(s, "b", 10));
	printf("%d %d %d %d\n", index(s, ""), index(s, "", 3), index("", "x"), index("", ""));
	exit(0);
}
