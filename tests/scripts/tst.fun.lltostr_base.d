/* @rows: fun.lltostr */
/* decimal is signed; other bases show the bits, 16 and 8 with C's prefix */
BEGIN
{
	printf("%s %s\n", lltostr(-9223372036854775807 - 1), lltostr(9223372036854775807));
	printf("%s %s %s\n", lltostr(255, 16), lltostr(8, 8), lltostr(5, 2));
	printf("%s %s\n", lltostr(35, 36), lltostr(-1, 16));
	printf("%s\n", strjoin("n=", lltostr(42)));
	exit(0);
}
