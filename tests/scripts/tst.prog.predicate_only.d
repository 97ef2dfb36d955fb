/* @rows: prog.predicate_only */
/* A predicate without a body: the default action, which is nothing when quiet. */
BEGIN
/0/

BEGIN
/1/

tick-100hz
/1/
{
	trace("done");
	exit(0);
}
