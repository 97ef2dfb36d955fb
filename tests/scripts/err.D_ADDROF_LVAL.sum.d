BEGIN
{
	x = 1;
	p = &(x + 1);
}
