BEGIN
{
	trace("a" "b");
}

/* @rows: lex.string */
