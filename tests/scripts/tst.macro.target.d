/* @rows: macro.target */
/* @sonde: -q */
/* without -c and -p there is no target */
BEGIN
{
	printf("%d\n", $target);
	exit(0);
}
