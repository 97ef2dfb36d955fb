/* @rows: lex.comment */
/* A comment ends where the first end is, and counts as white space. */
BEGIN
{
	x = 1/* one /* still one */+ 2;
	printf("%d%s\n", x, "/* kept */");
	exit(0);
}
