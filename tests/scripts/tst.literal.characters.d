/* @rows: lex.char lex.char_packed lex.no_escape */
/* @sonde: -q */
/* character constants, of several characters, with and without escapes */
BEGIN
{
	printf("%d %d %d\n", 'a', 'ab', sizeof ('c'));
	printf("%d %d %d\n", '\n', '\x41', '\101');
	printf("%d %d %d\n", '\'', '\?', '\c');
	exit(0);
}
