/* @sonde: -q */
/* printed and cleared by a timer */
int n;

tick-20ms
{
	@["k"] = sum(++n);
	printa("%@d\n", @);
	clear(@);
}

tick-20ms
/n == 3/
{
	trunc(@);
	exit(0);
}
