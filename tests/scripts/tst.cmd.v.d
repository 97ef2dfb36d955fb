/* @rows: cmd.v */
/* @command: -e -v -s @script@ */
/* -v tells the least stability of the probes, and of the names in the clauses. */
BEGIN
{
	trace(getmajor(5));
}
