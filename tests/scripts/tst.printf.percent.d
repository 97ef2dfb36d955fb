/* @rows: fmt.percent */
/* @sonde: -q */
/* a percent sign */
BEGIN
{
	printf("100%% of %d%%\n", 50);
	exit(0);
}
