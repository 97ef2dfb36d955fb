struct t { int length; };

BEGIN
{
	p = (struct t *)alloca(4);
	trace(p->lenght);
}
