BEGIN
{
	trace(18446744073709551616);
}

/* @rows: lex.decimal */
