BEGIN
{
	trace(1));
}

/* @rows: lex.unbalanced */
