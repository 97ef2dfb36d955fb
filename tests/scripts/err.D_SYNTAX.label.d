BEGIN
{
	here: x = 1;
}
