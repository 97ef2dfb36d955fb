/* @rows: fmt.at */
/* width, flags and letters of %@ */
BEGIN
{
	@ = sum(-42);
	printa("[%@d] [%@8d] [%@-8d] [%@08d] [%@+d] [%@i]\n", @);
	@u = sum(255);
	printa("[%@u] [%@x] [%@X] [%@o] [%@#x] [%@8x]\n", @u);
	exit(0);
}
