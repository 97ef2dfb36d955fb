/* @rows: lex.hex expr.sign_rules */
/* A suffix u makes the operation unsigned; hex that fits an unsigned int is one. */
BEGIN
{
	printf("%d %d\n", 1u - 2 > 0, 1 - 2 > 0);
	printf("%d %d\n", 0xffffffff > -1, 4294967295 > -1);
	exit(0);
}
