BEGIN
/curpsinfo/
{
	trace(1);
}
