BEGIN
{
	trace(0179u);
}

/* @rows: lex.octal */
