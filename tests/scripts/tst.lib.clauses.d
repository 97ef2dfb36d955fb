/* @rows: lib.load */
/* @sonde: -q -L lib/clauses */
/* Clauses of a library are not enabled. */
BEGIN
{
	trace(from_library);
	exit(0);
}
