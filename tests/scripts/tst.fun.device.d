/* @rows: fun.getmajor fun.getminor */
/* @sonde: -q */
/* the numbers of a device */
BEGIN
{
	printf("%d %d\n", getmajor(0x123456789), getminor(0x123456789));
	exit(0);
}
