/* @rows: expr.string_compare expr.null_string */
/* @sonde: -q */
/* strings compare by unsigned bytes; NULL is less than any */
BEGIN
{
	s = "abc";
	printf("%d %d %d %d\n", s < "abd", "a" < "ab", s == "abc", s != "abc");
	printf("%d %d %d\n", "b" > s, "\377" > "a", "" == "");
	n = strchr(s, 'x');
	printf("%d %d %d\n", n == NULL, n < "", n == "");
	exit(0);
}
