struct t { int x; };

BEGIN
{
	p = (int *)alloca(4);
	trace(xlate <struct t> (p).x);
}
