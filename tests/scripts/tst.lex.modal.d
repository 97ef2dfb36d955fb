/* @rows: lex.modal */
/* at top level a word is a description: "BEGIN" there is a probe, inside a clause it is a variable's name */
BEGIN
{
	BEGIN = 4;
	END = BEGIN + 1;
	printf("%d %d\n", BEGIN, END);
	exit(0);
}
