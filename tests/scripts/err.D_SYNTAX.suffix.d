BEGIN
{
	trace(1lul);
}

/* @rows: lex.decimal */
