BEGIN
{
	x = 1; // one
}

/* @rows: lex.no_line_comment */
