/* @rows: bv.clocks_in_clause */
/* walltimestamp advances within a clause, vtimestamp does not. */

BEGIN
{
	a = walltimestamp;
	b = walltimestamp;
	trace(b > a);
	self->t = vtimestamp;
	trace(vtimestamp - self->t);
	exit(0);
}
