BEGIN
{
	p = alloca(1048577);
}
