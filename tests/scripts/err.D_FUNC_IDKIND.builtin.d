BEGIN
{
	pid(1);
}
