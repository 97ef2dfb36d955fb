/* @rows: prog.predicate_only */
/* A predicate and an empty body: the default action, which is nothing when quiet. */
BEGIN
/0/
{
}

BEGIN
/1/
{ }

tick-100hz
/1/
{
	trace("done");
	exit(0);
}
