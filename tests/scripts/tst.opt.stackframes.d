/* @rows: opt.stackframes */
/* @sonde: -q -x stackframes=5 */
/* read and checked; what it does, a scenario of the module shows */
BEGIN
{
	printf("set\n");
	exit(0);
}
