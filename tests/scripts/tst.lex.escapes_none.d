/* @rows: lex.no_escape */
/* A backslash before another character stays. */
BEGIN
{
	printf("%d %d\n", strlen("\q"), strlen("\?"));
	printf("%d %d\n", '\'', '\?');
	exit(0);
}
