/* @rows: act.printa */
/* printa() stands among other output in the order of the clause */
BEGIN
{
	@ = sum(1);
	printf("one ");
	printa("%@d ", @);
	@ = sum(1);
	printf("two ");
	printa("%@d\n", @);
	exit(0);
}
