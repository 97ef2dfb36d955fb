BEGIN
{
	p = (int *)alloca(4);
	trace(p->x);
}
