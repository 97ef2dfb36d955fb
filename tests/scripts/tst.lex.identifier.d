/* @rows: lex.identifier */
/* Letters, digits, underscores; case counts. */
BEGIN
{
	_a1 = 1; A = 2; a = 3; __ = 4;
	printf("%d %d %d %d\n", _a1, A, a, __);
	exit(0);
}
