BEGIN
{
	x = (uintptr_t)curpsinfo;
}
