/* @rows: mem.layout */
/* Blocks lie one behind the other; one of 0 bytes is where the next begins. */

BEGIN
{
	b = alloca(3);
	c = alloca(5);
	trace((uint64_t)c - (uint64_t)b);
	trace(alloca(0) == alloca(0));
	s = alloca(0);
	trace(s == alloca(0));
	r = alloca(0);
	q = (char *)alloca(4);
	q[0] = 90;
	trace(stringof(r));
	exit(0);
}
