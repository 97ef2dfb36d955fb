/* @rows: lex.octal_escape */
/* Octal escapes take at most three digits. */
BEGIN
{
	printf("%s|%s|%s\n", "\101\1012", "\60", "a\11b");
	exit(0);
}
