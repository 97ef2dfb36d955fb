/* @rows: prog.list prog.repeated */
/* @sonde: -q */
/* several probes to a clause; one named twice runs it twice */
int n;

BEGIN, BEGIN
{
	n++;
}

dtrace:::BEGIN, dtrace:::END
{
	printf("%s\n", probename);
}

BEGIN
{
	printf("%d\n", n);
	exit(0);
}
