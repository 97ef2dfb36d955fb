/* @rows: prog.clause */
/* A slash inside a predicate divides. */
BEGIN
/ 8 / 2 / 2 == 2 /
{
	trace("one ");
}

BEGIN
/ (8 / 2) / 4 /
{
	trace("two");
	exit(0);
}
