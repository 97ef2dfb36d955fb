/* @rows: lex.no_line_comment */
/* Two slashes inside a string are text. */
BEGIN
{
	printf("http://%s\n", "x//y");
	exit(0);
}
