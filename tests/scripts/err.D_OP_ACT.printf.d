BEGIN
{
	x = pid ? printf("a") : 2;
}
