/* @rows: agg.clear prov.tick */
/* interval counts: printed, cleared, the keys stay */
int n;

tick-5ms
/n < 3/
{
	@["even"] = sum(n % 2 == 0);
	@["odd"] = sum(n % 2);
	printa("%s %@d ", @);
	printf("\n");
	clear(@);
	n++;
}

tick-5ms
/n == 3/
{
	exit(0);
}
