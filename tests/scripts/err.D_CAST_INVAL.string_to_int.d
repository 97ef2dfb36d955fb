BEGIN
{
	x = (int)"5";
}
