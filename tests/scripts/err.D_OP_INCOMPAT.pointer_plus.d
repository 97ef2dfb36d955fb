BEGIN
{
	p = (int *)alloca(8);
	q = p + p;
}
