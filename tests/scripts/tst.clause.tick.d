/* @rows: prov.tick prov.tick_units */
/* @sonde: -q */
/* a timer, until it has fired three times */
int n;

tick-20ms
{
	printf("tick %d\n", ++n);
}

tick-20ms
/n == 3/
{
	exit(0);
}
