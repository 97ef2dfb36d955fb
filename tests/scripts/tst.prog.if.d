/* @rows: prog.if lex.if_else */
/* if, else, and chains of them. */
BEGIN
{
	n = 2;
	if (n == 1) {
		trace("one ");
	} else if (n == 2) {
		trace("two ");
		if (n > 1)
			trace("more ");
		else
			trace("less ");
	} else {
		trace("many ");
	}
	if (n) trace("set");
	if (NULL) trace("never");
	if (!n) x = 1; else x = 2;
	printf(" %d\n", x);
	exit(0);
}
