BEGIN
{
	p = copyin(0, 2097152);
}
