BEGIN
{
	p = alloca(8);
	q = p + 1;
}

