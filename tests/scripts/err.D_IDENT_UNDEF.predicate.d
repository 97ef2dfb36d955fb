/*
 * A name that nobody knows is reported in the predicate, and not again in the statements.
 */
BEGIN
/nobody == 1 && other == 2/
{
	trace(nobody);
	x = nobody;
	trace(x);
	trace(third);
}
