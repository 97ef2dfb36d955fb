BEGIN
{
	x = 1 ? printf("a") : 2;
}
