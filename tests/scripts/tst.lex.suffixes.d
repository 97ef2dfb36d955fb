/* @rows: lex.suffix */
/* u, l and ll in either case and order. */
BEGIN
{
	printf("%d %d %d ", sizeof (1u), sizeof (1L), sizeof (1ll));
	printf("%d %d %d\n", sizeof (1uL), sizeof (1LLu), sizeof (1lU));
	exit(0);
}
