/* @rows: lex.string lex.escapes lex.octal_escape lex.hex_escape lex.nul lex.no_escape */
/* @sonde: -q */
/* escapes in strings */
BEGIN
{
	printf("%s\n", "a\tb\\n\"c\"");
	printf("%s\n", "\x41\102");
	printf("%s\n", "\q\?");
	printf("%s %d\n", "ab\0cd", strlen("ab\0cd"));
	exit(0);
}
