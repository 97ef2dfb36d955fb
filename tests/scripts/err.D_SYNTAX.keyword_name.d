BEGIN
{
	register = 1;
}

/* @rows: lex.keywords */
