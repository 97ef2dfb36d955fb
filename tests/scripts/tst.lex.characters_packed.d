/* @rows: lex.char_packed */
/* Up to eight characters, the first most significant; the type is int. */
BEGIN
{
	printf("%x %x %d\n", 'a', 'abcd', sizeof ('ab'));
	exit(0);
}
