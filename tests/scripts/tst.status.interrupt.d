/* @rows: status.interrupt */
/* @sonde: -q -w */
/* SIGINT to sonde itself: END runs, aggregations are printed, status 0 */
BEGIN
{
	@["printed at the end"] = count();
	system("kill -INT $PPID");
}

END
{
	printf("END\n");
}
