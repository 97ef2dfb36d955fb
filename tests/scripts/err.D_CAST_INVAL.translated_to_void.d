BEGIN
{
	(void)curpsinfo;
}
