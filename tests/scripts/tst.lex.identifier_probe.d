/* @rows: lex.identifier */
/* The name of a probe, or of a member, may name a variable. */
BEGIN
{
	BEGIN = 1; ERROR = 2; entry = 3;
	printf("%d\n", BEGIN + ERROR + entry);
	exit(0);
}
