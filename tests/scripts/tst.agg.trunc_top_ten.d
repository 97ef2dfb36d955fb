/* @rows: agg.trunc_n */
/* the ten greatest of many */
int i;

tick-1ms
/i < 25/
{
	@[i * 7 % 25] = sum(++i);
}

tick-1ms
/i == 25/
{
	trunc(@, 10);
	printa("%@d ", @);
	printf("\n");
	exit(0);
}
