BEGIN
{
	{ trace(1); }
}
