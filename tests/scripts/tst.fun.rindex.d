/* @rows: fun.rindex */
/* @sonde: -q */
/* where a string last occurs in another */
BEGIN
{
	s = "abcabc";
	printf("%d %d %d\n", rindex(s, "b"), rindex(s, "x"), rindex(s, "ca"));
	printf("%d %d %d %d\n", rindex(s, "b", 3), rindex(s, "b", 4), rindex(s, "a", 100), rindex(s, "a", -1));
	printf("%d %d %d %d\n", rindex(s, ""), rindex(s, "", 3), rindex("", "x"), rindex("", ""));
	exit(0);
}
