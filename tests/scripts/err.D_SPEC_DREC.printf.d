BEGIN
{
	x = 1;
	printf("%d\n", x);
	speculate(1);
}
/* @rows: act.speculate */
