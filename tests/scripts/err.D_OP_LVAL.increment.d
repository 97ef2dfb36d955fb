BEGIN
{
	++3;
}
