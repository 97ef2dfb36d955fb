/* @rows: cmd.P */
/* @command: -q -P 'dtrace/probename == "BEGIN"/{trace(probeprov);exit(0);}' */
/* -P names a provider; the clause may stand in the same word. */
BEGIN
{
	trace("script");
	exit(0);
}
