/* @rows: type.string type.array */
/* An array of strings. */
string s[3];

BEGIN
{
	s[0] = "zero"; s[2] = "two";
	printf("[%s] [%s] [%s] %d\n", s[0], s[1], s[2], sizeof (s));
	exit(0);
}
